insert into notification (id, scope, channel, message, state, tries, trouble) values
  ('01900000-0000-7000-8000-0000000000c1', 'acme', 'ops', '{"event": "failed", "title": "hello failed"}', 'waiting', 2, 'the channel answered 500');
