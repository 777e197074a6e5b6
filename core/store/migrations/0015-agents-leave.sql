-- breaking: no
-- When the agent's process said that it ends; null while it has not, and once it is back.
alter table agent add column left_at timestamptz;
