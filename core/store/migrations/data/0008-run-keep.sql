insert into run_keep (uid, runs, days) values ('01900000-0000-7000-8000-0000000000a2', 100, null);
