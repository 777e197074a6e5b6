insert into join_secret (token_uid, hash) values ('01900000-0000-7000-8000-0000000000c0', '\x01');
