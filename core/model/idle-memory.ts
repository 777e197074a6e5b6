import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

const lookMs = 5000;
const quietLooks = 3;
const quietShare = 0.05;
/**
 * V8 by itself looks through all old objects for every tenth more of them, as it takes us for slow and itself for fast: with 300 GETs a
 * second every 7 s, each time slowing what is asked meanwhile by 50 to 150 ms (measured on two cores), and with thousands of agents all the
 * time (decision 54). Twice as many is a memory that only a busy process takes.
 */
const growth = { busy: "--heap-growing-percent=100", quiet: "--heap-growing-percent=0" };

/**
 * Gives memory back when there is nothing to do: V8 keeps what a start or a busy time made it take until it needs to allocate again, which
 * an idle process does not (measured after 10,000 applies: 243 MB, of which 31 MB were in use). While there is something to do it may
 * have more. For the server and the agent; it is here because both may import this room, and not in the index because nothing else of it acts.
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
    if (quiet === 0) setFlagsFromString(growth.busy);
    // Once per quiet time.
    if (quiet !== quietLooks) return;
    setFlagsFromString(growth.quiet);
    tidy();
  }, lookMs).unref();
}
