insert into service_delivery (agent_uid, digest, repository_uid)
  values ('01900000-0000-7000-8000-0000000000a6', '00', '01900000-0000-7000-8000-0000000000a5');
