-- breaking: yes
-- The audit as a chain for each organization. Older replicas would prune records without leaving a checkpoint.

create index audit_organization on audit (organization, revision);

-- Where a record stands in its organization's chain. Written just after the record, in the order of revisions.
create table audit_chain (
  organization text not null,
  revision bigint not null,
  previous bytea not null,
  hash bytea not null,
  primary key (organization, revision)
);

-- Signed heads. The newest of an organization is the end of its chain and is replaced as the chain grows, unless it was
-- published; a checkpoint tells that what came before it is no longer kept.
create table audit_head (
  organization text not null,
  revision bigint not null,
  at timestamptz not null,
  hash bytea not null,
  checkpoint boolean not null,
  key text not null,
  signature text not null,
  published_at timestamptz,
  primary key (organization, revision)
);
create index audit_head_at on audit_head (at);
create index audit_head_new on audit_head (organization) where published_at is null;

-- One row: up to where records are in their chains, locked by whoever seals, and the sealed private key that signs heads.
create table audit_sealed (
  id int primary key check (id = 1),
  revision bigint not null,
  signing_key jsonb
);
insert into audit_sealed (id, revision) values (1, 0);
