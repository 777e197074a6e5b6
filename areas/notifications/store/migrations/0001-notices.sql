-- breaking: no
-- What is not as it should be, as long as it is so: each thing once, whoever has been told of it.
create table notice (
  resource_uid uuid not null,
  event text not null,
  id uuid not null,
  since timestamptz not null default now(),
  told_at timestamptz,
  told jsonb not null default '[]',
  primary key (resource_uid, event)
);
