import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import type { InnerBody, Inside } from "../executor.ts";
import { hideShared } from "../finders.ts";
import type { Attempt } from "./attempt.ts";
import type { Ending } from "./attempts.ts";
import { checkOutputs } from "./outputs.ts";
import { reasonOf } from "./reason.ts";

/** A body within the agent. It touches no disk until it writes something: ten thousand a second may pass that never do. */
export async function runInside(attempt: Attempt, body: InnerBody): Promise<Ending> {
  const startedAt = new Date();
  const hide = attempt.kept.hide;
  try {
    const { outcome, why, outputs, final = false } = await body.run(insideOf(attempt));
    const checked = outputs && checkOutputs(outputs, hide, body.outputBytes);
    const ended = { why: hideShared(why, hide), startedAt, endedAt: new Date(), final };
    if (checked?.good === false) return { ...ended, outcome: "failed", why: checked.why };
    return { ...ended, outcome, ...(checked?.outputs && { outputs: checked.outputs }) };
  } catch (error) {
    const { why, final } = reasonOf(error, hide);
    return { outcome: "failed", why, final, startedAt, endedAt: new Date() };
  }
}

function insideOf(attempt: Attempt): Inside {
  const { layout, abort } = attempt;
  function append(file: string, text: string): void {
    // It did not heed its signal, and its files may be gone: nobody hears this.
    if (attempt.ending) return;
    if (attempt.silent) makeFiles(attempt);
    appendFileSync(file, text, { mode: 0o600 });
  }
  return {
    signal: abort.signal,
    stdout: (text) => append(layout.out, text),
    stderr: (text) => append(layout.err, text),
  };
}

function makeFiles(attempt: Attempt): void {
  const { folder, files, order, work } = attempt.layout;
  mkdirSync(files, { recursive: true, mode: 0o700 });
  writeFileSync(order, JSON.stringify(attempt.kept), { mode: 0o600 });
  mkdirSync(folder, { recursive: true, mode: 0o711 });
  mkdirSync(work, { recursive: true, mode: 0o700 });
  attempt.silent = false;
}
