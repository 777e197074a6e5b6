-- The first record is sealed, signed and published; the key is as it lies in the table, closed.
insert into audit_chain (organization, revision, previous, hash) values ('acme', 1, decode(repeat('00', 32), 'hex'), decode(repeat('ab', 32), 'hex'));
insert into audit_head (organization, revision, at, hash, checkpoint, key, signature, published_at) values
  ('acme', 1, '2026-01-01T00:00:00Z', decode(repeat('ab', 32), 'hex'), false, 'publickey', 'signature', '2026-01-01T00:01:00Z');
update audit_sealed set revision = 1, signing_key = '{"key": "k", "wrapped": "w", "nonce": "n", "data": "d"}' where id = 1;
