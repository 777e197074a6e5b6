-- breaking: no
-- Keys, each closed by the one above it: a value's own key by a scope key, that by a root key, which is never in the database.

create table root_key (
  id text primary key,
  -- The id itself, closed by the key: whoever opens it holds the key.
  proof text not null,
  state text not null default 'current' check (state in ('current', 'retired')),
  since timestamptz not null default now()
);
create unique index root_key_current on root_key (state) where state = 'current';

-- One current key for each organization ('' is the installation), made when something of it is first sealed.
create table scope_key (
  id uuid primary key,
  organization text not null,
  root text not null references root_key (id),
  wrapped text not null,
  state text not null default 'current' check (state in ('current', 'retired')),
  since timestamptz not null default now()
);
create unique index scope_key_current on scope_key (organization) where state = 'current';
create index scope_key_root on scope_key (root);

-- Where each start stores a sealed value, looks at it and removes it, in one transaction: always empty.
create table key_check (
  id uuid primary key,
  sealed jsonb not null
);
