-- breaking: no
-- Who is in which group, by uid: whoever is deleted and made anew by the same name is not. Follows from the groups' specs.

create table group_member (
  subject_uid uuid not null,
  group_uid uuid not null,
  primary key (subject_uid, group_uid)
);
create index group_member_group on group_member (group_uid);

create table group_claim (
  provider text not null,
  value text not null,
  group_uid uuid not null,
  primary key (provider, value, group_uid)
);
create index group_claim_group on group_claim (group_uid);

-- What an identity provider said of a user at its last sign-in.
create table claim (
  user_uid uuid not null,
  provider text not null,
  value text not null,
  primary key (user_uid, provider, value)
);
