-- breaking: yes
-- What quotas count. Most installations have none: `quotas` tells that with the counter that every write takes anyway.

alter table revision add column quotas bigint not null default 0;

-- How much a resource counts for: its spec, labels and annotations as JSON.
alter table resource add column bytes bigint not null default 0;
update resource set bytes = octet_length(spec::text) + octet_length(labels::text) + octet_length(annotations::text);

-- What is used of a quota: written under the counter only. A quota without a row is counted when it is next needed.
create table quota_use (
  quota uuid primary key,
  used jsonb not null,
  told boolean not null,
  counted_at timestamptz not null default now()
);
