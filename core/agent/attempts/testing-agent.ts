/** An agent's process for tests that kill it: starts the orders it is sent. */
import { openAttempts, type StartOrder } from "./attempts.ts";

const [folder = ""] = process.argv.slice(2);
const attempts = openAttempts({
  folder,
  executors: [
    {
      name: "plain",
      available: async () => true,
      prepare: async ({ with: body }) => ({ does: "process", env: {}, ...body }) as never,
    },
  ],
  slots: 400,
  onEnd: () => {},
});
await attempts.adopt();
process.on("message", (order: StartOrder) => {
  void attempts.start(order).then(() => process.send?.("started"));
});
process.send?.("ready");
