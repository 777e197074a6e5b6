-- breaking: no
-- Runs that must have begun or ended by a time. A row goes when its time has come, or before, when the run has ended.
create table run_promise (
  run uuid not null,
  what text not null check (what in ('start', 'finish')),
  due_at timestamptz not null,
  within_ms bigint not null,
  -- Names of channels that are to be told when it is late.
  channels jsonb not null,
  constraint run_promise_pkey primary key (run, what)
);
create index run_promise_due on run_promise (due_at);
