insert into resource_label (kind, key, value, scope, name, uid) values ('Project', 'tier', 'web', 'acme', 'shop', '01900000-0000-7000-8000-00000000000b');
