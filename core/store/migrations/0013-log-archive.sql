-- breaking: no
-- Up to which chunk a run's output is in the archive, and up to which it is only there.
alter table log_run add column archived_to bigint not null default 0;
alter table log_run add column removed_to bigint not null default 0;
create index log_run_unarchived on log_run (at) where archived_to < chunks;
