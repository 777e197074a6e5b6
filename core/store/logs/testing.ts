import { newUid } from "@reeve/model";
import type { Sql } from "../sql.ts";

/** A run whose only step is done by this agent, in its second attempt; the first one was another agent's. */
export async function loggingRun(
  sql: Sql,
  options: {
    agent?: string;
    before?: string;
    id?: string;
    uid?: string;
    ended?: boolean;
    scope?: string;
  } = {},
): Promise<{ run: string; agent: string; before: string; uid: string }> {
  const { agent = newUid(), before = newUid(), id = newUid(), uid = newUid() } = options;
  const state = options.ended ? "succeeded" : "running";
  await sql.query(
    `insert into run_graph (digest, graph) values ('\\x77', $1) on conflict (digest) do nothing`,
    [
      JSON.stringify({
        steps: [
          {
            name: "hello",
            needs: [],
            rule: "all-succeeded",
            body: { does: "execute", executor: "shell", with: {} },
          },
        ],
      }),
    ],
  );
  await sql.query(
    `insert into run (id, scope, kind, name, uid, generation, graph, state, cause, by, inputs, open, settles, ended_at)
     values ($1, $4, 'Workflow', 'w', $2, 1, '\\x77', $3, 'person', 'user:ada', '{}', 1, false, case when $3 = 'succeeded' then now() end)`,
    [id, uid, state, options.scope ?? "acme"],
  );
  await sql.query(
    `insert into step (run, seq, def, state, pending, plain, queue, epoch, attempt, agent, ended_at)
     values ($1, 0, 0, $4, 0, true, $2, 2, 2, $3, case when $4 = 'succeeded' then now() end)`,
    [id, newUid(), agent, state],
  );
  await sql.query(
    "insert into step_attempt (run, seq, epoch, attempt, agent, state, why, ended_at) values ($1, 0, 1, 1, $2, 'lost', '', now())",
    [id, before],
  );
  return { run: id, agent, before, uid };
}
