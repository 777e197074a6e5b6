-- breaking: no
-- Who looks after what, what they saw, and what happened.

create table replica (
  name text primary key,
  session uuid not null,
  peer_address text not null,
  certificate text not null,
  roles jsonb not null,
  version text not null,
  started_at timestamptz not null default now(),
  seen_at timestamptz not null default now()
);

-- Keys of reconcilers are spread over buckets; the holder of a bucket looks. `holder` stays after the lease has run
-- out, so that the same replica can take it again first.
create table bucket (
  bucket int primary key,
  holder text,
  session uuid,
  until timestamptz not null default now()
);
insert into bucket (bucket) select n from generate_series(0, 63) as n;

create table look (
  uid uuid primary key,
  kind text not null,
  bucket int not null,
  due_at timestamptz,
  looked_at timestamptz,
  outcome text not null default 'never' check (outcome in ('never', 'done', 'waiting', 'failed', 'paused')),
  why text not null default '',
  failures int not null default 0,
  replica text
);
create index look_due on look (bucket, due_at) where due_at is not null;

create table event (
  uid uuid not null,
  digest text not null,
  at timestamptz not null,
  first_at timestamptz not null,
  count int not null,
  tone text not null check (tone in ('normal', 'warning')),
  reason text not null,
  message text not null,
  primary key (uid, digest)
);
create index event_at on event (at);
