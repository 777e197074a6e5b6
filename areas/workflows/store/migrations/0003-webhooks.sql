-- breaking: no
-- Signed requests that have begun a run, by a digest of their signature: the same one again begins nothing.
create table webhook_call (
  workflow uuid not null,
  call bytea not null,
  run uuid not null,
  at timestamptz not null default now(),
  constraint webhook_call_pkey primary key (workflow, call)
);
create index webhook_call_at on webhook_call (at);
