-- breaking: no
-- The authority that signs the certificates of replicas and agents. One signs; agents trust all that are here.
create table authority (
  id uuid primary key,
  certificate text not null,
  signing_key jsonb not null,
  state text not null check (state in ('current', 'trusted')),
  made_at timestamptz not null default now()
);
create unique index authority_current on authority (state) where state = 'current';
create index authority_signing_key on authority ((signing_key ->> 'key'));

-- When the identity before stops working, whatever happens, and when the new one was first used: from then on the one before is a clone's.
alter table agent add column identity_before_expires_at timestamptz;
alter table agent add column identity_used_at timestamptz;
-- SHA-256 of the join token and the key that an agent joined with, so that it may ask again when it missed the answer.
alter table agent add column enrolment bytea;
create unique index agent_enrolment on agent (enrolment) where enrolment is not null;
-- At most so many attempts at once, if its Host says so.
alter table agent add column slots_allowed bigint;
-- The state that its Host shows; while it is another one, the Host is to be looked at.
alter table agent add column shown text not null default '';
create index agent_unshown on agent (uid) where shown <> state;
