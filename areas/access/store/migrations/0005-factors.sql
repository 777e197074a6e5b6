-- breaking: no
-- What people prove themselves with beside a password. None of it is of use to who reads the table: seeds are sealed, passkeys
-- are public keys, recovery codes and tickets are digests.

create table totp (
  id uuid primary key,
  user_uid uuid not null,
  name text not null,
  seed jsonb not null,
  -- The newest time step whose code was used: that code and older ones are refused.
  last_step bigint not null,
  created_at timestamptz not null default now(),
  used_at timestamptz not null default now()
);
create index totp_owner on totp (user_uid);
create index totp_seed_key on totp ((seed ->> 'key'));

create table passkey (
  id uuid primary key,
  user_uid uuid not null,
  name text not null,
  credential text not null,
  public_key bytea not null,
  counter bigint not null,
  transports jsonb not null,
  created_at timestamptz not null default now(),
  used_at timestamptz not null default now(),
  constraint passkey_credential unique (credential)
);
create index passkey_owner on passkey (user_uid);

create table recovery_code (
  user_uid uuid not null,
  hash bytea not null,
  primary key (user_uid, hash)
);

-- What was begun and waits for its proof: a sign-in after its first step, the challenge of a passkey. Used once.
create table ticket (
  hash bytea primary key,
  use text not null,
  user_uid uuid,
  detail jsonb not null,
  expires_at timestamptz not null
);
create index ticket_expires on ticket (expires_at);

-- Guesses at passwords and codes, by a digest of whose and from where; a row counts until its window is over.
create table attempt (
  key bytea primary key,
  count bigint not null,
  since timestamptz not null
);
create index attempt_since on attempt (since);
