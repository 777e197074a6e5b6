-- breaking: no
-- The files of services, by their SHA-256, and which agent may have which for a while.
create table service_bundle (
  digest text primary key,
  content text not null,
  at timestamptz not null default now()
);
create index service_bundle_at on service_bundle (at);

create table service_delivery (
  agent_uid uuid not null,
  digest text not null,
  at timestamptz not null default now(),
  primary key (agent_uid, digest)
);
create index service_delivery_at on service_delivery (at);
