insert into run_room (quota, most, room) values ('01900000-0000-7000-8000-00000000000d', 10, 7);
