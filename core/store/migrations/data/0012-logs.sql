insert into log_run (run, uid, chunks, bytes) values ('01900000-0000-7000-8000-0000000000a1', '01900000-0000-7000-8000-0000000000a2', 2, 6);
insert into log_attempt (run, seq, epoch, agent, out_bytes, err_bytes, err_sha256) values
  ('01900000-0000-7000-8000-0000000000a1', 0, 2, '01900000-0000-7000-8000-0000000000a3', 106, 0, '\xe3b0c442');
insert into log_chunk (run, seq, epoch, number, stream, begins, length, packed, data, gap) values
  ('01900000-0000-7000-8000-0000000000a1', 0, 2, 1, 'stdout', 0, 6, false, 'hello'::bytea || '\x0a', null),
  ('01900000-0000-7000-8000-0000000000a1', 0, 2, 2, 'stdout', 6, 100, false, null, 'the log is over its cap');
