import type { PrivatePostgres } from "../../harness/private-postgres.ts";

/** Has the database itself note every change of a step's state: what the rows say at the end would not tell how they came there. */
export async function recordTransitions(postgres: PrivatePostgres): Promise<void> {
  await postgres.query(
    `create table seen_transition (run uuid, workflow text, seq bigint, def bigint, attempt bigint, before text, after text,
       reason_before text, epoch_before bigint, epoch bigint, cancelled boolean, begins_accepted boolean, at timestamptz default now())`,
  );
  await postgres.query(
    `create function see_transition() returns trigger language plpgsql as $$ begin
       insert into seen_transition select new.run, r.name, new.seq, new.def, new.attempt, old.state, new.state,
         old.reason, old.epoch, new.epoch, r.cancelled_at is not null, new.at_most_once or new.exclusive
         from run r where r.id = new.run;
       return null;
     end $$`,
  );
  await postgres.query(
    `create trigger see_transition after update on step for each row
     when (old.state <> new.state or old.epoch <> new.epoch) execute function see_transition()`,
  );
}
