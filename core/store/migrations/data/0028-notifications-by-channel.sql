insert into notification (id, scope, channel, message, state, due_at) values
  ('01900000-0000-7000-8000-0000000000c2', 'acme/shop', 'ops', '{"event": "failed", "title": "hello failed"}', 'waiting', now() + interval '1 day');
