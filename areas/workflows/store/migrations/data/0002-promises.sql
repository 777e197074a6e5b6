insert into run_promise (run, what, due_at, within_ms, channels) values
  ('01900000-0000-7000-8000-0000000000a1', 'finish', now() + interval '1 hour', 300000, '["ops"]');
