-- breaking: no
-- Whose files they are, so that they can be sealed where their organization wants it.
alter table service_bundle add column scope text not null default '';
update service_bundle b set scope = coalesce((select r.scope from kept k join resource r on r.uid = k.resource_uid
  where k.seen ->> 'bundle' = b.digest limit 1), '');
