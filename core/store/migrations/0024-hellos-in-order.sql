-- breaking: no
-- The number of the agent's newest hello: an older one, which was held up on its way, changes nothing.
alter table agent add column hello_number bigint not null default 0;
