-- breaking: no
-- How and when the person of a session last proved to be that person. Sessions from before did so with a password, long ago.
alter table session add column factors jsonb not null default '["password"]';
alter table session add column authenticated_at timestamptz not null default timestamptz '1970-01-01 00:00:00+00';
