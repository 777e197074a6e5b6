-- breaking: no
-- How many runs of a definition are kept and for how long, where it says so itself; others have the installation's time.
create table run_keep (
  uid uuid primary key,
  runs bigint,
  days double precision
);

-- When it was last seen in use, to the day: what nobody has used for longer than runs are kept is gone.
alter table run_queue add column at timestamptz not null default now();
