insert into service_bundle (digest, content) values ('00', '{"compose.yaml": "services: {}"}');
insert into service_delivery (agent_uid, digest) values ('01900000-0000-7000-8000-0000000000a3', '00');
