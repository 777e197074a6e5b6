insert into usage_window (agent_uid, step, from_at, uids, series) values
  ('01900000-0000-7000-8000-0000000000a3', 15000, now(), array['01900000-0000-7000-8000-0000000000a3']::uuid[], array['\x00']::bytea[]);
