insert into run_graph (digest, graph) values ('\x01', '{"steps": [{"name": "hello", "needs": [], "rule": "all-succeeded", "body": {"does": "execute", "executor": "shell", "with": {"script": "echo hello"}}}]}');
insert into run_queue (id, scope, executor, selector) values ('01900000-0000-7000-8000-0000000000a0', 'acme', 'shell', '');
insert into run_limit (key) values ('acme hello');
insert into run (id, scope, kind, name, uid, generation, graph, state, cause, by, inputs, open, settles, started_at) values
  ('01900000-0000-7000-8000-0000000000a1', 'acme', 'Workflow', 'hello', '01900000-0000-7000-8000-0000000000a2', 1, '\x01', 'running', 'person', 'user:ada', '{}', 1, false, now());
insert into step (run, seq, def, state, pending, plain, queue, epoch, attempt, agent, ready_at, offered_at, started_at) values
  ('01900000-0000-7000-8000-0000000000a1', 0, 0, 'running', 0, true, '01900000-0000-7000-8000-0000000000a0', 2, 2, '01900000-0000-7000-8000-0000000000a3', now(), now(), now());
insert into step_attempt (run, seq, epoch, attempt, agent, state, why, ended_at) values
  ('01900000-0000-7000-8000-0000000000a1', 0, 1, 1, '01900000-0000-7000-8000-0000000000a3', 'lost', 'its agent went away', now());
insert into run_event (run, id, seq, tone, reason, message) values
  ('01900000-0000-7000-8000-0000000000a1', '01900000-0000-7000-8000-0000000000a4', 0, 'warning', 'lost', 'hello: its agent went away');
insert into agent (uid, scope, name, identity, identity_expires_at, state, lease_until, beat_at) values
  ('01900000-0000-7000-8000-0000000000a3', 'acme', 'box', '\x02', now(), 'lost', now(), now());
