-- breaking: no
-- Beginning changes the state of a step and no column of an index any more, so that its row is written anew beside itself: measured,
-- 400 instead of none of 1,000. Only what waits has such a reason.
drop index step_person;
create index step_person on step (run, seq) where reason in ('approval', 'lost');
