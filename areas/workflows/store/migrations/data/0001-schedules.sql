insert into schedule (workflow, name, scope, workflow_name, spec, next_at) values
  ('01900000-0000-7000-8000-0000000000a2', 'nightly', 'acme', 'hello', '{"name": "nightly", "cron": "0 3 * * *", "timezone": "UTC", "catchUp": "latest", "catchUpWithin": "1d"}', now());
insert into schedule_tick (workflow, schedule, tick, run, backfill) values
  ('01900000-0000-7000-8000-0000000000a2', 'nightly', '2026-11-01T03:00:00Z', '01900000-0000-7000-8000-0000000000a1', '01900000-0000-7000-8000-0000000000b1');
insert into backfill (id, workflow, schedule, from_at, until_at, ticks, by) values
  ('01900000-0000-7000-8000-0000000000b1', '01900000-0000-7000-8000-0000000000a2', 'nightly', '2026-11-01T00:00:00Z', '2026-11-02T00:00:00Z', 1, 'user:ada');
