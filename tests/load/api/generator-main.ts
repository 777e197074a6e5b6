import { applies } from "./applies.ts";
import { changes } from "./changes.ts";
import type { Message, Reply } from "./generator.ts";
import { rawCommits } from "./raw-commits.ts";
import { reads } from "./reads.ts";
import { watchers } from "./watchers.ts";

/** The process of a load generator: does what its parent asks, and ends with it. */
const loads = { applies, changes, rawCommits, reads, watchers };
export type Loads = typeof loads;

let run: ((input: never) => Promise<unknown>) | undefined;

async function carryOut(message: Message): Promise<unknown> {
  if ("load" in message) {
    run = (await loads[message.load](message.opening as never)) as typeof run;
    return undefined;
  }
  return run?.(message.window as never);
}

process.on("message", (message: Message) => {
  const reply = (answer: Reply) => process.send?.(answer);
  carryOut(message).then(
    (result) => reply({ result }),
    (error: unknown) =>
      reply({ problem: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
  );
});
process.on("disconnect", () => process.exit());
// Ctrl-C reaches the whole group; the parent decides when we end.
process.on("SIGINT", () => {});
