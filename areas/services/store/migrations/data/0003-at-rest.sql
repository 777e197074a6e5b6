insert into service_bundle (digest, content, scope) values ('5ea1ed', '$sealed:01900000-0000-7000-8000-0000000000d1:AAAA', 'acme');
