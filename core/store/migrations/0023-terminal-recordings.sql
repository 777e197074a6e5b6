-- breaking: no
-- What terminals have shown, where it is to be recorded; never what was typed.
create table terminal_recording (
  id uuid not null primary key,
  scope text not null,
  kind text not null,
  name text not null,
  verb text not null,
  host text not null,
  subject text not null,
  detail jsonb not null,
  at timestamptz not null default now(),
  -- Both unset while it goes on, and for ever when the server was lost meanwhile.
  ended_at timestamptz,
  digest bytea,
  bytes bigint not null default 0
);
create index terminal_recording_at on terminal_recording (at, id);
create table terminal_recording_part (
  recording_id uuid not null references terminal_recording (id) on delete cascade,
  part integer not null,
  data bytea not null,
  -- The data key that seals it; none where it is in clear.
  sealed uuid,
  primary key (recording_id, part)
);
