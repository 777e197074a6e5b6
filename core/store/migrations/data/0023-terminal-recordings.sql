insert into terminal_recording (id, scope, kind, name, verb, host, subject, detail, ended_at, digest, bytes) values
  ('01900000-0000-7000-8000-000000000001', 'acme', 'Service', 'web', 'exec', 'web-1', 'user:ada', '{"command": ["sh"]}', now(), '\x00'::bytea, 3);
insert into terminal_recording_part (recording_id, part, data) values
  ('01900000-0000-7000-8000-000000000001', 0, '\x00'::bytea);
