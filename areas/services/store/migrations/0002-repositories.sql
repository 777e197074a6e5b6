-- breaking: no
-- Which service has its files in which folder of which repository, by the names that its spec says.
create table service_source (
  service_uid uuid primary key,
  scope text not null,
  repository text not null,
  folder text not null
);
create index service_source_repository on service_source (repository);

-- The folders of repositories at the revision that was fetched last.
create table repository_folder (
  repository_uid uuid not null,
  folder text not null,
  -- Of the objects in it: the same means that nothing has changed.
  tree text not null,
  -- The revision at which it became so.
  revision text not null,
  digest text not null,
  content text not null,
  -- Why its files cannot be used; empty when they can.
  trouble text not null,
  primary key (repository_uid, folder)
);
