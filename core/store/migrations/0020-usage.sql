-- breaking: no
-- What hosts, and what is kept on them, have used: one row holds all of a host within a window of time. `step` is how many milliseconds a
-- value stands for. `series` are packed (core/model/usage.ts), one for each of `uids`, so that one of them is read without the others.
create table usage_window (
  agent_uid uuid not null,
  step bigint not null,
  from_at timestamptz not null,
  uids uuid[] not null,
  series bytea[] not null,
  primary key (agent_uid, step, from_at)
);
create index usage_window_from on usage_window (step, from_at);
