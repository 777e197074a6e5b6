import type { Message, Reply } from "./generator.ts";

/** Each is loaded only by the process that makes it: what another one needs would be memory and time of this one. */
const loads = {
  agents: async () => (await import("../runs/simulated-agents.ts")).agents,
  applies: async () => (await import("../api/applies.ts")).applies,
  changes: async () => (await import("../api/changes.ts")).changes,
  rawCommits: async () => (await import("../api/raw-commits.ts")).rawCommits,
  reads: async () => (await import("../api/reads.ts")).reads,
  tail: async () => (await import("../runs/tail.ts")).tail,
  watchers: async () => (await import("../api/watchers.ts")).watchers,
};
export type Loads = { readonly [Name in keyof typeof loads]: Awaited<ReturnType<(typeof loads)[Name]>> };

/** The process of a load generator: does what its parent asks, and ends with it. */
let run: ((input: never) => Promise<unknown>) | undefined;

async function carryOut(message: Message): Promise<unknown> {
  if ("load" in message) {
    const load = await loads[message.load]();
    run = (await load(message.opening as never)) as typeof run;
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
