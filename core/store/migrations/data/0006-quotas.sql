update revision set quotas = 1 where id = 1;
insert into resource (uid, kind, scope, name, generation, revision, labels, annotations, finalizers, owner, owner_uid, paused, created_at, updated_at, spec, status, bytes) values
  ('01900000-0000-7000-8000-00000000000d', 'Quota', 'acme', 'plan', 1, 3, '{}', '{}', '[]', null, null, false, '2026-01-02T00:00:00Z', '2026-01-02T00:00:00Z', '{"limits": {"projects": 5}}', '{}', 30);
insert into quota_use (quota, used, told) values ('01900000-0000-7000-8000-00000000000d', '{"projects": 1, "resources": 1, "storageBytes": 6}', true);
