insert into webhook_call (workflow, call, run) values ('01900000-0000-7000-8000-0000000000a2', '\x00ff', '01900000-0000-7000-8000-0000000000a1');
