insert into replica (name, session, peer_address, certificate, roles, version, seen_at) values ('one', '01900000-0000-7000-8000-0000000000f1', '127.0.0.1:8090', 'pem', '["work"]', '0.1.0', '2026-01-01T00:00:00Z');
update bucket set holder = 'one', session = '01900000-0000-7000-8000-0000000000f1', until = now() + interval '10 seconds' where bucket < 32;
insert into look (uid, kind, bucket, due_at, looked_at, outcome, why, failures, replica) values ('01900000-0000-7000-8000-00000000000b', 'Project', 11, now(), now(), 'waiting', 'for its contents', 0, 'one');
insert into event (uid, digest, at, first_at, count, tone, reason, message) values ('01900000-0000-7000-8000-00000000000b', 'd', now(), now(), 4, 'warning', 'LookFailed', 'no route');
