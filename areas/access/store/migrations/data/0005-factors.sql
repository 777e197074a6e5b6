insert into totp (id, user_uid, name, seed, last_step) values ('01900000-0000-7000-8000-0000000000b0', '01900000-0000-7000-8000-0000000000aa', 'phone', '{"key": "01900000-0000-7000-8000-0000000000b1", "wrapped": "AA==", "nonce": "AA==", "data": "AA=="}', 58000000);
insert into passkey (id, user_uid, name, credential, public_key, counter, transports) values ('01900000-0000-7000-8000-0000000000b2', '01900000-0000-7000-8000-0000000000aa', 'laptop', 'credential', '\x04', 7, '["internal"]');
insert into recovery_code (user_uid, hash) values ('01900000-0000-7000-8000-0000000000aa', '\x05');
insert into ticket (hash, use, user_uid, detail, expires_at) values ('\x06', 'sign-in', '01900000-0000-7000-8000-0000000000aa', '{"factors": ["password"]}', now() + interval '10 minutes');
insert into attempt (key, count, since) values ('\x07', 3, now());
