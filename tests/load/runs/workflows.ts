import { organization } from "./api.ts";
import { chainSteps } from "./measure-peers.ts";

/** What is run: nothing, as one wide run, as many small ones, as chains, and as processes. */
export const wideItems = 10_000;
export const shellAtOnce = 16;
export const heldAttempts = 200;

const items = (count: number) => Array.from({ length: count }, (_, index) => index);
const chain = (body: object) => items(chainSteps).map((index) => ({ name: `step-${index}`, ...body }));

const steps = {
  one: [{ name: "noop", uses: "noop" }],
  wide: [{ name: "noop", uses: "noop", each: items(wideItems) }],
  "chain-noop": chain({ uses: "noop" }),
  "chain-shell": chain({ run: ":" }),
  "chain-python": chain({ python: "pass" }),
  "shell-250": [{ name: "shell", run: ":", each: items(250), atOnce: shellAtOnce }],
  "shell-500": [{ name: "shell", run: ":", each: items(500), atOnce: shellAtOnce }],
  stamp: [{ name: "stamp", uses: "stamp" }],
  log: [{ name: "log", run: 'exec cat "$file"', env: { file: "${{ inputs.file }}" } }],
  flood: [
    {
      name: "flood",
      run: 'while :; do cat "$file"; done',
      env: { file: "${{ inputs.file }}" },
      selector: "bench=flood",
    },
  ],
  hold: [{ name: "sleep", run: "exec sleep 3600", each: items(heldAttempts) }],
} as const;

const takesFile: ReadonlySet<string> = new Set(["log", "flood"]);

export type WorkflowName = keyof typeof steps;

export const workflows = Object.entries(steps).map(([name, steps]) => ({
  apiVersion: "reeve/v1",
  kind: "Workflow",
  metadata: { scope: organization, name },
  spec: { ...(takesFile.has(name) && { inputs: { file: {} } }), steps },
}));
