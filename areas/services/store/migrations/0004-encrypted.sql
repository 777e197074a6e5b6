-- breaking: no
-- The repository whose identity opens what is encrypted in the files; none when nothing is.
alter table service_delivery add column repository_uid uuid;
