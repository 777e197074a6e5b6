insert into authority (id, certificate, signing_key, state) values
  ('01900000-0000-7000-8000-0000000000b0', '-----BEGIN CERTIFICATE-----', '{"key": "k", "wrapped": "w", "nonce": "n", "data": "d"}', 'current');
update agent set identity_before = '\x03', identity_before_expires_at = now(), identity_used_at = now(), enrolment = '\x04', shown = 'lost'
  where uid = '01900000-0000-7000-8000-0000000000a3';
