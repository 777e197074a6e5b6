-- breaking: no
-- Organizations that seal what is theirs where it is kept: by data keys, one for each organization and month, which their scope key closes.
create table data_key (
  id uuid not null primary key,
  organization text not null,
  period text not null,
  sealed jsonb not null,
  unique (organization, period)
);
create index data_key_sealed on data_key ((sealed ->> 'key'));
-- How far what was there before has followed. `settled_at` is when a look through everything found nothing left to do.
create table at_rest (
  organization text not null primary key,
  sealed boolean not null,
  since timestamptz not null default now(),
  moved bigint not null default 0,
  looking_at text not null default '',
  settled_at timestamptz
);
-- The data key of a piece of output.
alter table log_chunk add column sealed uuid;
