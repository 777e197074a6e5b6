-- breaking: no
-- What is under a limit is few; what waits for it may be thousands, and must not be counted through.
create index step_under on step (limit_key) where limit_key is not null and awaits in ('claim', 'agent');
