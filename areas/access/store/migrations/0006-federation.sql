-- breaking: no
-- People of identity providers. An identity is the provider with its `sub`, never an e-mail address.

create table federated_identity (
  id uuid primary key,
  provider_uid uuid not null,
  subject text not null,
  user_uid uuid not null,
  linked_at timestamptz not null default now(),
  seen_at timestamptz not null default now(),
  constraint federated_identity_subject unique (provider_uid, subject)
);
create index federated_identity_owner on federated_identity (user_uid);

create table provider_secret (
  provider_uid uuid primary key,
  secret jsonb not null
);
create index provider_secret_key on provider_secret ((secret ->> 'key'));
