-- breaking: no
-- Who is to approve something asks for it among millions of steps; few of them wait for a person at any time.
create index step_person on step (run, seq) where state = 'waiting' and reason in ('approval', 'lost');
