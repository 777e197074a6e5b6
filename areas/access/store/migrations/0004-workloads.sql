-- breaking: no
-- Short-lived tokens of workloads that a trusted issuer vouched for. They are no resources: a pipeline makes hundreds a day.

create table workload_token (
  id uuid primary key,
  hash bytea not null,
  -- It works only as long as its issuer's spec is the one that let it in.
  issuer_uid uuid not null,
  issuer_generation bigint not null,
  account_uid uuid not null,
  -- The issuer's scope: nothing outside it can be reached with the token.
  scope text not null,
  -- Who the issuer said it is: the `sub` of the token that was exchanged.
  workload text not null,
  created_at timestamptz not null default now(),
  seen_at timestamptz,
  expires_at timestamptz not null,
  address text not null,
  constraint workload_token_hash unique (hash)
);
create index workload_token_scope on workload_token (scope);
create index workload_token_expires on workload_token (expires_at);

-- The ids (`jti`) of exchanged tokens, until those expire: each is exchanged once.
create table exchanged_jti (
  issuer_uid uuid not null,
  jti bytea not null,
  expires_at timestamptz not null,
  primary key (issuer_uid, jti)
);
create index exchanged_jti_expires on exchanged_jti (expires_at);
