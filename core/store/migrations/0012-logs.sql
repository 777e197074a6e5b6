-- breaking: no
-- Output of attempts. Whoever writes locks the run's row first, so that the chunks of a run have one order: that of arrival.
create table log_run (
  run uuid primary key,
  -- The definition, as in run: what is kept is counted by it.
  uid uuid not null,
  chunks bigint not null default 0,
  bytes bigint not null default 0,
  at timestamptz not null default now(),
  -- When its chunks went to the archive.
  archived_at timestamptz
);
create index log_run_at on log_run (at);
create index log_run_uid on log_run (uid, run);

-- How far each stream of an attempt has come, gaps included, and the hash of the whole when it has ended.
create table log_attempt (
  run uuid not null,
  seq bigint not null,
  epoch bigint not null,
  agent uuid not null,
  out_bytes bigint not null default 0,
  err_bytes bigint not null default 0,
  out_sha256 bytea,
  err_sha256 bytea,
  primary key (run, seq, epoch)
);

create table log_chunk (
  run uuid not null,
  seq bigint not null,
  epoch bigint not null,
  -- Counts the chunks of the run.
  number bigint not null,
  stream text not null check (stream in ('stdout', 'stderr')),
  begins bigint not null,
  length bigint not null,
  packed boolean not null,
  -- Null for a gap: then the text says why its bytes are missing.
  data bytea,
  gap text,
  at timestamptz not null default now(),
  primary key (run, seq, epoch, number)
);
create unique index log_chunk_number on log_chunk (run, number);
