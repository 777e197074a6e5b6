/**
 * The agent with one executor more, which tells our parent when a body began: the only thing that cannot be seen from outside. All
 * else is the agent's own code.
 */
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type Executor, readIdentity, startAgent } from "../../../core/agent/index.ts";
import { clock } from "../measure/clock.ts";

export interface Stamp {
  readonly run: string;
  /** By `clock()`. */
  readonly at: number;
}

const stamp: Executor = {
  name: "stamp",
  available: async () => true,
  prepare: async ({ run }) => ({
    does: "inside",
    async run() {
      process.send?.({ run, at: clock() } satisfies Stamp);
      return { outcome: "succeeded", why: "" };
    },
  }),
};

const { values } = parseArgs({
  allowPositionals: true,
  options: { data: { type: "string", default: "" }, slots: { type: "string", default: "1" } },
});
const identity = await readIdentity(join(values.data, "identity.json"));
if (identity === undefined) throw new Error(`nobody has joined in ${values.data}`);
const agent = await startAgent({
  folder: values.data,
  identity,
  keepIdentity: async () => {},
  executors: [stamp],
  slots: Number(values.slots),
  version: "bench",
  log() {},
});
process.once("SIGTERM", () => void agent.stop());
process.on("disconnect", () => process.exit());
