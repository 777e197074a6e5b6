insert into step (run, seq, def, parent, item, state, reason, pending, plain, queue, limit_key, child, ready_at, first_ready_at) values
  ('01900000-0000-7000-8000-0000000000a1', 1000000, 0, 0, '{"item": "a", "index": 0}', 'waiting', 'run', 0, false, '00000000-0000-0000-0000-000000000000', 'items 01900000-0000-7000-8000-0000000000a1 0', '01900000-0000-7000-8000-0000000000a5', now(), now());
