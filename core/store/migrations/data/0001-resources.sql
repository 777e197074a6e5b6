-- What an installation of this version holds, for testing the migrations that come after it.
insert into installation (id, uid, timeline, setup_done_at) values (1, '01900000-0000-7000-8000-000000000001', '01900000-0000-7000-8000-000000000002', now());
update revision set value = 3, compacted = 0 where id = 1;
insert into resource (uid, kind, scope, name, generation, revision, labels, annotations, finalizers, owner, owner_uid, paused, created_at, updated_at, spec, status) values
  ('01900000-0000-7000-8000-00000000000a', 'Organization', '', 'acme', 2, 2, '{"tier": "gold"}', '{"note": "ünïcode ✓"}', '["reeve/contents"]', null, null, false, '2026-01-01T00:00:00Z', '2026-02-01T00:00:00Z', '{"displayName": "Acme"}', '{}'),
  ('01900000-0000-7000-8000-00000000000b', 'Project', 'acme', 'shop', 1, 3, '{}', '{}', '["reeve/contents"]', null, null, true, '2026-01-02T00:00:00Z', '2026-01-02T00:00:00Z', '{}', '{"conditions": []}');
insert into generation (uid, generation, revision, at, author, reason, spec) values
  ('01900000-0000-7000-8000-00000000000a', 1, 1, '2026-01-01T00:00:00Z', 'user:ada', '', '{}'),
  ('01900000-0000-7000-8000-00000000000a', 2, 2, '2026-02-01T00:00:00Z', 'user:ada', 'a name', '{"displayName": "Acme"}'),
  ('01900000-0000-7000-8000-00000000000b', 1, 3, '2026-01-02T00:00:00Z', 'user:ada', '', '{}');
insert into change (revision, at, operation, uid, kind, scope, name, was, object) values
  (1, now(), 'created', '01900000-0000-7000-8000-00000000000a', 'Organization', '', 'acme', null, '{}'),
  (2, now(), 'updated', '01900000-0000-7000-8000-00000000000a', 'Organization', '', 'acme', '{"labels": {}, "fields": {}}', '{}'),
  (3, now(), 'created', '01900000-0000-7000-8000-00000000000b', 'Project', 'acme', 'shop', null, '{}');
insert into idempotency (caller, key, fingerprint, outcome, revision) values ('01900000-0000-7000-8000-00000000000c', 'k', 'f', 'created', 3);
insert into audit (revision, at, organization, subject, via, address, request_id, operation, outcome, kind, scope, name, uid, reason, detail) values
  (1, now(), 'acme', 'user:ada', 'session:x', '127.0.0.1', 'r1', 'apply', 'done', 'Organization', '', 'acme', '01900000-0000-7000-8000-00000000000a', '', '{}');
