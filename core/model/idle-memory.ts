import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

const lookMs = 5000;
const quietLooks = 3;
const quietShare = 0.05;

/**
 * Gives memory back when there is nothing to do: V8 keeps what a start or a busy time made it take until it needs to allocate again, which
 * an idle process does not (measured after 10,000 applies: 243 MB, of which 31 MB were in use). For the server and the agent; it
 * is here because both may import this room, and not in the index because nothing else of it acts.
 */
export function tidyMemoryWhenIdle(): void {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as (options: { type: "major"; flavor: "last-resort" }) => void;
  const tidy = () => collect({ type: "major", flavor: "last-resort" });
  // What only the start needed (measured on the server: 157 MB with it, 138 without).
  setImmediate(tidy);
  let before = performance.eventLoopUtilization();
  let quiet = 0;
  setInterval(() => {
    const now = performance.eventLoopUtilization();
    quiet = performance.eventLoopUtilization(now, before).utilization < quietShare ? quiet + 1 : 0;
    before = now;
    // Once per quiet time.
    if (quiet === quietLooks) tidy();
  }, lookMs).unref();
}
