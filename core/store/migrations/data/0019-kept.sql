insert into kept (resource_uid, agent_uid, seen, seen_at) values
  ('01900000-0000-7000-8000-000000000001', '01900000-0000-7000-8000-0000000000a3', '{"state": "running"}', now());
