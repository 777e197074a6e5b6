-- breaking: no
-- What a person may open within the next moments, once: a terminal. The ticket itself is not kept.
create table terminal_ticket (
  hash bytea not null primary key,
  subject_uid uuid not null,
  opens jsonb not null,
  at timestamptz not null default now()
);
create index terminal_ticket_at on terminal_ticket (at);
