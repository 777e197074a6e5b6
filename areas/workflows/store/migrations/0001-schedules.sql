-- breaking: no
-- When workflows run by themselves. A row follows from its Workflow's spec and is written with it.
create table schedule (
  workflow uuid not null,
  name text not null,
  scope text not null,
  workflow_name text not null,
  spec jsonb not null,
  -- The first tick that was not dealt with; none while it is paused or has no more.
  next_at timestamptz,
  -- The last tick that was fired, and its run.
  last_at timestamptz,
  last_run uuid,
  -- Why the last tick could not be fired.
  trouble text not null default '',
  constraint schedule_pkey primary key (workflow, name)
);
create index schedule_next on schedule (next_at) where next_at is not null;
create index schedule_scope on schedule (scope, workflow_name, name);

-- Each tick has at most one run, whoever fires it, and however often.
create table schedule_tick (
  workflow uuid not null,
  schedule text not null,
  tick timestamptz not null,
  run uuid not null,
  backfill uuid,
  at timestamptz not null default now(),
  constraint schedule_tick_pkey primary key (workflow, schedule, tick)
);
create index schedule_tick_at on schedule_tick (at);
create index schedule_tick_backfill on schedule_tick (backfill, tick) where backfill is not null;

-- Runs asked for together, for the ticks of a time that is over.
create table backfill (
  id uuid not null,
  workflow uuid not null,
  schedule text not null,
  from_at timestamptz not null,
  until_at timestamptz not null,
  ticks bigint not null,
  by text not null,
  at timestamptz not null default now(),
  constraint backfill_pkey primary key (id)
);
create index backfill_workflow on backfill (workflow, id);
create index backfill_at on backfill (at);
