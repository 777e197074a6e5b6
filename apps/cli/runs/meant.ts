import { Fault, type Step } from "@reeve/model";
import type { Client } from "@reeve/sdk";
import { Usage } from "@reeve/sdk/cli";

const idLike = /^(?:run\/)?([0-9a-f-]{8,36})$/;

/** The run that a word names, or undefined when it names something else: `run/1f2e3d4c`, or only the end of its id. */
export function runMeant(word: string): string | undefined {
  return idLike.exec(word.toLowerCase())?.[1];
}

export function runNamed(word: string): string {
  const run = runMeant(word);
  if (run !== undefined) return run;
  throw new Usage(
    `${JSON.stringify(word)} is not a run`,
    "write its id, or the last 8 characters of it: reeve runs",
  );
}

/** A step by its name, `load` or `load[3]`, or by its seq; without one, the only waiting step that fits. */
export async function stepNamed(
  client: Client,
  run: string,
  word: string | undefined,
  fits: { readonly test: (step: Step) => boolean; readonly what: string },
): Promise<Step> {
  const within =
    word === undefined
      ? { states: ["waiting"] as const }
      : /[[\d]/.test(word)
        ? {}
        : { parent: "none" as const };
  const found: Step[] = [];
  for await (const step of client.runs.steps(run, within))
    if (word === undefined ? fits.test(step) : step.name === word || String(step.seq) === word)
      found.push(step);
  const [step] = found;
  if (step === undefined)
    throw word === undefined
      ? new Fault("precondition", `no step of this run ${fits.what}`, { next: `reeve runs show ${run}` })
      : new Fault("not_found", `the run has no step ${word}`, { next: `reeve runs show ${run} lists them` });
  if (found.length > 1)
    throw new Usage(
      `${found.length} steps ${fits.what}: ${found
        .slice(0, 5)
        .map(({ name }) => name)
        .join(", ")}`,
      "name one after the run",
    );
  return step;
}
