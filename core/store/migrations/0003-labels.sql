-- breaking: yes
-- Labels by value, in the order of a list: a page by label reads only what it shows, however rare the label is.

create table resource_label (
  kind text not null,
  key text not null,
  value text not null,
  scope text not null,
  name text not null,
  uid uuid not null,
  primary key (kind, key, value, scope, name)
);
insert into resource_label (kind, key, value, scope, name, uid)
  select r.kind, l.key, l.value, r.scope, r.name, r.uid from resource r, jsonb_each_text(r.labels) as l (key, value);
