import type { Step } from "@reeve/model";

const going = new Set(["due", "offered", "running"]);
/** What has been ready for less is about to begin. */
const soonMs = 5_000;

/** When nothing of a run goes on: the steps that it waits for, if no person is asked about them. */
export function heldUp(steps: readonly Step[], now: number): readonly Step[] {
  if (steps.some(({ state }) => going.has(state))) return [];
  return steps.filter(({ state, reason, readyAt }) => {
    if (state === "ready") return readyAt !== undefined && now - Date.parse(readyAt) >= soonMs;
    return state === "waiting" && reason !== "approval" && reason !== "lost" && reason !== "items";
  });
}
