-- breaking: no
-- What agents keep true of resources, and what they saw of it last. A row lets the agent speak of the resource.
create table kept (
  resource_uid uuid not null,
  agent_uid uuid not null,
  seen jsonb,
  seen_at timestamptz,
  primary key (resource_uid, agent_uid)
);
create index kept_agent on kept (agent_uid);
