import type { PrivatePostgres } from "../../harness/private-postgres.ts";

/** Has the database itself note every change of a step's state: what the rows say at the end would not tell how they came there. */
export async function recordTransitions(postgres: PrivatePostgres): Promise<void> {
  await postgres.query(
    `create table seen_transition (run uuid, seq bigint, before text, after text, reason_before text, epoch_before bigint,
       epoch bigint, cancelled boolean, begins_accepted boolean, at timestamptz default now())`,
  );
  await postgres.query(
    `create function see_transition() returns trigger language plpgsql as $$ begin
       insert into seen_transition values (new.run, new.seq, old.state, new.state, old.reason, old.epoch, new.epoch,
         (select cancelled_at is not null from run where id = new.run), new.at_most_once or new.exclusive);
       return null;
     end $$`,
  );
  await postgres.query(
    `create trigger see_transition after update on step for each row
     when (old.state <> new.state or old.epoch <> new.epoch) execute function see_transition()`,
  );
}
