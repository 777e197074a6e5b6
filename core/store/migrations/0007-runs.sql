-- breaking: no
-- Runs, their steps and the agents that do them. Names of states are those of core/model/run.ts.

-- A graph is kept once for all runs that have it.
create table run_graph (
  digest bytea primary key,
  graph jsonb not null,
  at timestamptz not null default now()
);

-- Where ready steps wait: all steps of a scope that the same hosts can do.
create table run_queue (
  id uuid primary key,
  scope text not null,
  executor text not null,
  selector text not null,
  constraint run_queue_what unique (scope, executor, selector)
);

-- Locked while somebody counts what is under a limit; the count itself is derived from states.
create table run_limit (
  key text primary key,
  at timestamptz not null default now()
);

create table run (
  id uuid primary key,
  scope text not null,
  kind text not null,
  name text not null,
  uid uuid not null,
  generation bigint not null,
  graph bytea not null,
  state text not null check (state in ('queued', 'running', 'succeeded', 'failed', 'cancelled', 'skipped')),
  why text not null default '',
  cause text not null,
  by text not null,
  inputs jsonb not null,
  outputs jsonb,
  priority bigint not null default 0,
  limit_key text,
  scheduled_at timestamptz,
  parent_run uuid,
  parent_seq bigint,
  paused_at timestamptz,
  cancelled_at timestamptz,
  -- It was cancelled because it ran too long, which is a failure.
  timed_out boolean not null default false,
  -- How many of its steps have not ended, and how many have failed that may not.
  open bigint not null,
  failed bigint not null default 0,
  -- Something is to be done when its last step has ended: outputs, a parent, a limit, notifications.
  settles boolean not null,
  -- When the engine must look at the run itself: its timeout, or at once, to settle it.
  wake_at timestamptz,
  created_at timestamptz not null default now(),
  started_at timestamptz,
  ended_at timestamptz,
  changed_at timestamptz not null default now()
);
-- Lists are newest first: ids are in the order of time.
create index run_scope on run (scope, id);
create index run_about on run (uid, id);
create index run_open on run (id) where ended_at is null;
create index run_limited on run (limit_key, id) where limit_key is not null and ended_at is null;
create index run_wake on run (wake_at) where wake_at is not null;
create index run_parent on run (parent_run) where parent_run is not null;

create table step (
  run uuid not null,
  seq bigint not null,
  -- The place in the graph's steps; items of a fan-out share it, and have a parent.
  def bigint not null,
  parent bigint,
  item jsonb,
  state text not null check (state in
    ('blocked', 'due', 'ready', 'offered', 'running', 'waiting', 'succeeded', 'failed', 'cancelled', 'skipped')),
  reason text,
  why text not null default '',
  -- How many it needs, or of its items, have not ended.
  pending bigint not null,
  -- One it needs has ended otherwise than well.
  troubled boolean not null default false,
  -- Nothing to decide when all it needs have succeeded.
  plain boolean not null,
  queue uuid not null,
  priority bigint not null default 0,
  limit_key text,
  at_most_once boolean not null default false,
  exclusive boolean not null default false,
  epoch bigint not null default 0,
  attempt bigint not null default 0,
  -- Attempts that count against its retries: none that was lost, and from none on when it is reopened.
  tries bigint not null default 0,
  agent uuid,
  child uuid,
  first_ready_at timestamptz,
  ready_at timestamptz,
  offered_at timestamptz,
  started_at timestamptz,
  ended_at timestamptz,
  -- It was told to stop, and when.
  stopping_at timestamptz,
  -- When the engine must look at it, whatever else happens: a retry, a deadline, an expiry.
  wake_at timestamptz,
  exit_code bigint,
  outputs jsonb,
  changed_at timestamptz not null default now(),
  -- By whom it is looked for. Indexes speak of this and not of the state, so that an accept, which changes only the state,
  -- touches none of them.
  awaits text generated always as (case when state = 'ready' then 'claim' when state = 'due' then 'decision'
    when state in ('offered', 'running') or reason = 'lost' then 'agent' end) stored,
  primary key (run, seq)
) with (fillfactor = 70);
create index step_ready on step (queue, priority desc, ready_at, run, seq) where awaits = 'claim';
create index step_due on step (run, seq) where awaits = 'decision';
create index step_held on step (agent, run, seq) where awaits = 'agent';
create index step_stopping on step (agent) where stopping_at is not null and awaits = 'agent';
create index step_limited on step (limit_key, priority desc, ready_at, run, seq) where limit_key is not null and ended_at is null;
create index step_wake on step (wake_at) where wake_at is not null;
create index step_child on step (child) where child is not null;

-- Attempts that were followed by another; a step's latest attempt is the step itself.
create table step_attempt (
  run uuid not null,
  seq bigint not null,
  epoch bigint not null,
  attempt bigint not null,
  agent uuid,
  state text not null check (state in ('succeeded', 'failed', 'cancelled', 'lost', 'returned')),
  why text not null,
  exit_code bigint,
  offered_at timestamptz,
  started_at timestamptz,
  ended_at timestamptz not null,
  primary key (run, seq, epoch)
);

-- What happened to a run beyond its states, in words a person reads.
create table run_event (
  run uuid not null,
  id uuid not null,
  at timestamptz not null default now(),
  seq bigint,
  tone text not null check (tone in ('normal', 'warning')),
  reason text not null,
  message text not null,
  by text not null default '',
  primary key (run, id)
);

-- One row an agent: its identity and its lease. Labels and the rest of its Host are the resource's.
create table agent (
  uid uuid primary key,
  scope text not null,
  name text not null,
  -- SHA-256 of its certificate, or of its bearer token; the one before works until the new one was used.
  identity bytea not null,
  identity_before bytea,
  identity_generation bigint not null default 1,
  identity_expires_at timestamptz not null,
  revoked_at timestamptz,
  session uuid,
  replica text,
  -- What it said at its hello: executors, slots, facts. Labels as they were matched with last.
  hello jsonb not null default '{}',
  labels jsonb not null default '{}',
  drained boolean not null default false,
  slots bigint not null default 0,
  state text not null check (state in ('joined', 'connected', 'suspect', 'lost', 'revoked')),
  lease_until timestamptz not null,
  beat_at timestamptz not null,
  status jsonb not null default '{}',
  joined_at timestamptz not null default now()
);
create unique index agent_identity on agent (identity);
create index agent_identity_before on agent (identity_before) where identity_before is not null;
