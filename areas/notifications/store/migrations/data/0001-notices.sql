insert into notice (resource_uid, event, id, told_at, told) values
  ('01900000-0000-7000-8000-0000000000e1', 'host-lost', '01900000-0000-7000-8000-0000000000e2', now(),
   '[{"scope": "acme", "name": "ops"}]');
