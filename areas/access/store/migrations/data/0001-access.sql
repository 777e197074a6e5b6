insert into password (user_uid, hash) values ('01900000-0000-7000-8000-0000000000aa', '$argon2id$v=19$m=19456,t=2,p=1$c2FsdA$aGFzaA');
insert into session (id, hash, user_uid, expires_at, address, agent) values ('01900000-0000-7000-8000-0000000000ab', '\x01', '01900000-0000-7000-8000-0000000000aa', now() + interval '1 day', '127.0.0.1', 'test');
insert into credential (token_uid, hash) values ('01900000-0000-7000-8000-0000000000ac', '\x02');
