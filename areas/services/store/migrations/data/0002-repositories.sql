insert into service_source (service_uid, scope, repository, folder) values ('01900000-0000-7000-8000-0000000000a4', 'acme', 'apps', 'web');
insert into repository_folder (repository_uid, folder, tree, revision, digest, content, trouble)
  values ('01900000-0000-7000-8000-0000000000a5', 'web', '00', '00', '00', '{"compose.yaml": "services: {}"}', '');
