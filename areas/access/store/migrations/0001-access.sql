-- breaking: no
-- What is hot or secret about access; users, tokens and bindings themselves are resources.

create table password (
  user_uid uuid primary key,
  hash text not null,
  changed_at timestamptz not null default now()
);

-- Sessions and tokens are known by the digest of their secret only.
create table session (
  id uuid primary key,
  hash bytea not null,
  user_uid uuid not null,
  created_at timestamptz not null default now(),
  seen_at timestamptz not null default now(),
  expires_at timestamptz not null,
  address text not null,
  agent text not null,
  constraint session_hash unique (hash)
);
create index session_owner on session (user_uid);
create index session_expires on session (expires_at);

create table credential (
  token_uid uuid primary key,
  hash bytea not null,
  issued_at timestamptz not null default now(),
  constraint credential_hash unique (hash)
);
