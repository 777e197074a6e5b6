insert into terminal_ticket (hash, subject_uid, opens) values
  ('\x00'::bytea, '01900000-0000-7000-8000-000000000001', '{"verb": "exec"}');
