-- breaking: no
-- Agents that renewed after the backup that a restore brought back hold identities of which no row tells: when that backup was taken, and
-- when it was brought back. Both null in a database that never was.
alter table installation add column backed_up_at timestamptz;
alter table installation add column restored_at timestamptz;
-- The generation of its identity in the backup that its row comes from; null unless it comes from one, or when it has joined since, or
-- has renewed by such an identity.
alter table agent add column restored_generation bigint;
