insert into data_key (id, organization, period, sealed) values
  ('01900000-0000-7000-8000-0000000000d1', 'acme', '2026-11', '{"key": "01900000-0000-7000-8000-000000000001", "wrapped": "x", "nonce": "x", "data": "x"}');
insert into at_rest (organization, sealed, moved) values ('acme', true, 3);
insert into log_chunk (run, seq, epoch, number, stream, begins, length, packed, data, gap, sealed) values
  ('01900000-0000-7000-8000-0000000000a1', 0, 2, 3, 'stdout', 106, 5, false, '\x00', null, '01900000-0000-7000-8000-0000000000d1');
