insert into log_run (run, uid, chunks, bytes, archived_at, archived_to, removed_to) values
  ('01900000-0000-7000-8000-0000000000b1', '01900000-0000-7000-8000-0000000000b2', 7, 0, now(), 7, 7);
