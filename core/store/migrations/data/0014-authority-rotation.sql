update authority set state = 'trusted' where id = '01900000-0000-7000-8000-0000000000b0';
insert into authority (id, certificate, vouched, signing_key, state) values
  ('01900000-0000-7000-8000-0000000000b3', '-----BEGIN CERTIFICATE-----', '-----BEGIN CERTIFICATE-----', '{"key": "k", "wrapped": "w", "nonce": "n", "data": "d"}', 'current');
update agent set identity_authority = '01900000-0000-7000-8000-0000000000b3' where uid = '01900000-0000-7000-8000-0000000000a3';
