-- breaking: no
-- How many runs may be begun under a quota before those that have not ended must be counted again. Runs that end are not noted
-- here, so it is never too much. A quota without a row, or with another limit, is counted when it is next needed.
create table run_room (
  quota uuid primary key,
  most bigint not null,
  room bigint not null
);
