insert into group_member (subject_uid, group_uid) values ('01900000-0000-7000-8000-0000000000aa', '01900000-0000-7000-8000-0000000000ba');
insert into group_claim (provider, value, group_uid) values ('corporate', 'developers', '01900000-0000-7000-8000-0000000000ba');
insert into claim (user_uid, provider, value) values ('01900000-0000-7000-8000-0000000000aa', 'corporate', 'developers');
