-- breaking: no
-- Notifications are taken channel by channel, so that one with very many of them keeps no other waiting. A replica of the version
-- before finds what is due by this index too, if more slowly.
drop index notification_due;
create index notification_waiting on notification (scope, channel, due_at) where state = 'waiting';
