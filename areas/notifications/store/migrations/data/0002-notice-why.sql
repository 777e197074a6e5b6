insert into notice (resource_uid, event, id, told_at, told, why) values
  ('01900000-0000-7000-8000-0000000000e3', 'deploy-failed', '01900000-0000-7000-8000-0000000000e4', now(),
   '[{"scope": "acme", "name": "ops"}]', 'generation 2: keep-one: web-1 is unhealthy');
