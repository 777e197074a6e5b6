-- breaking: no
-- What an action answered beside its resource, such as the id of the run it began: a repeat of the request hears the same.
alter table idempotency add column answer jsonb;
