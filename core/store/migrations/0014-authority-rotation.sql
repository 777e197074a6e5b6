-- breaking: no
-- The certificate of a new authority as the one before it signs it: who trusts only that one trusts the new one by it.
alter table authority add column vouched text;
-- The authority that was current when an agent got its present identity, and so the newest that the agent trusts.
alter table agent add column identity_authority uuid;
