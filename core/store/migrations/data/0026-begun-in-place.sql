insert into step (run, seq, def, state, reason, why, pending, plain, queue, ready_at) values
  ('01900000-0000-7000-8000-0000000000a1', 1000001, 0, 'waiting', 'approval', 'go on?', 0, false, '00000000-0000-0000-0000-000000000000', now());
