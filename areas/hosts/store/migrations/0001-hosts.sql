-- breaking: no
-- Digests of what agents join with; hosts and join tokens themselves are resources, and agents are in the core's table.

create table join_secret (
  token_uid uuid primary key,
  hash bytea not null
);
