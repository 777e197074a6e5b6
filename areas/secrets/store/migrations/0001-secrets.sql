-- breaking: no
-- The values of secrets, sealed, and which specs speak of them; secrets and connections themselves are resources.

create table secret_version (
  secret_uid uuid not null,
  version integer not null,
  sealed jsonb not null,
  constraint secret_version_pkey primary key (secret_uid, version)
);
create index secret_version_key on secret_version ((sealed ->> 'key'));

-- By the names that a spec gives, so that a nearer secret made later is found as well.
create table secret_use (
  user_uid uuid not null,
  pointer text not null,
  -- Of the resource that refers.
  scope text not null,
  name text not null,
  key text not null,
  -- Of the secret, where the reference says it.
  secret_scope text,
  constraint secret_use_pkey primary key (user_uid, pointer, name, key)
);
create index secret_use_name on secret_use (name, scope);
