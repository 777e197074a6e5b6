-- breaking: no
-- Why it was last told: some troubles are news again when it is for another reason.
alter table notice add column why text;
