-- breaking: no
-- What is to be told to a channel: written in the transaction of what happened, delivered by any replica, at least once.
create table notification (
  id uuid primary key,
  -- Where it happened; the channel is the nearest of its name from there upwards.
  scope text not null,
  channel text not null,
  -- The Channel itself, once it was found.
  channel_uid uuid,
  message jsonb not null,
  state text not null check (state in ('waiting', 'delivered', 'dead')),
  tries bigint not null default 0,
  due_at timestamptz not null default now(),
  trouble text not null default '',
  at timestamptz not null default now(),
  ended_at timestamptz
);
create index notification_due on notification (due_at) where state = 'waiting';
create index notification_channel on notification (channel_uid, state, id) where channel_uid is not null;
create index notification_ended on notification (ended_at) where ended_at is not null;
