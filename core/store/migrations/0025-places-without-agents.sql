-- breaking: no
-- Also what agents do not do is under a limit: waits, approvals, runs of its own, resources; and so is what has been given a place
-- and is about to begin.
drop index step_under;
create index step_under on step (limit_key) where limit_key is not null
  and (awaits in ('claim', 'agent', 'decision') or reason in ('timer', 'approval', 'run', 'resource'));
