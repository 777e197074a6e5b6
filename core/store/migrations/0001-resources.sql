-- breaking: no
-- What people want, its history, and the order in which it was written.

-- One row. `setup_hash` is the digest of the one-time setup link's token; null once it has been used.
create table installation (
  id int primary key check (id = 1),
  uid uuid not null,
  timeline uuid not null,
  created_at timestamptz not null default now(),
  setup_hash bytea,
  setup_done_at timestamptz
);

-- One row. Taken in every writing transaction and held until its commit, so revisions are in commit order.
-- `compacted` is the newest revision whose change is no longer kept.
create table revision (
  id int primary key check (id = 1),
  value bigint not null,
  compacted bigint not null
);
insert into revision (id, value, compacted) values (1, 0, 0);

create table resource (
  uid uuid primary key,
  kind text not null,
  scope text not null,
  name text not null,
  generation bigint not null,
  revision bigint not null,
  labels jsonb not null,
  annotations jsonb not null,
  finalizers jsonb not null,
  owner jsonb,
  owner_uid uuid,
  paused boolean not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  deleting_at timestamptz,
  deleting_force boolean not null default false,
  spec jsonb not null,
  status jsonb not null,
  constraint resource_address unique (kind, scope, name)
);
create index resource_owner on resource (owner_uid) where owner_uid is not null;
-- No index on labels: a list walks its scope in the order of names and filters, which an index over all scopes made slower
-- (measured at 100,000 resources) while it cost every write. No index on scope alone: without fresh statistics it is chosen for look-ups by address, and reads a whole scope for each.

create table generation (
  uid uuid not null,
  generation bigint not null,
  revision bigint not null,
  at timestamptz not null,
  author text not null,
  reason text not null,
  spec jsonb not null,
  primary key (uid, generation)
);

-- What watchers read. `object` is the resource as it was sent then, as text because it is only ever forwarded;
-- `was` holds the labels and selectable fields before, so that leaving a selector can be told.
create table change (
  revision bigint primary key,
  at timestamptz not null,
  operation text not null check (operation in ('created', 'updated', 'deleted')),
  uid uuid not null,
  kind text not null,
  scope text not null,
  name text not null,
  was jsonb,
  object text not null
);

-- A row per committed transaction (made by migrate.ts, which needs it first): after a lost connection it tells whether
-- the commit happened.
create index lane_mark_at on lane_mark (at);

create table idempotency (
  caller text not null,
  key text not null,
  fingerprint text not null,
  outcome text,
  revision bigint,
  at timestamptz not null default now(),
  primary key (caller, key)
);
create index idempotency_at on idempotency (at);

create table audit (
  revision bigint primary key,
  at timestamptz not null,
  organization text not null,
  subject text not null,
  via text not null,
  address text not null,
  request_id text not null,
  operation text not null,
  outcome text not null check (outcome in ('done', 'denied')),
  kind text not null,
  scope text not null,
  name text not null,
  uid uuid,
  reason text not null,
  detail jsonb not null
);
