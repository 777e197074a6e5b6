import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { readKeyText } from "../attempt-key.ts";
import { type Attempt, newAttempt, plainOrder, readOrder, readStop } from "./attempt.ts";
import type { Ending } from "./attempts.ts";
import { clearOthers } from "./groups.ts";
import { type Host, markOf } from "./launch.ts";
import { layoutOf, type Roots } from "./layout.ts";
import { isAlive, killMarked, signalGroup } from "./processes.ts";
import { preventStart, readRecord, type ShimRecord } from "./record.ts";
import { settle } from "./settle.ts";

export interface Adopted {
  readonly attempt: Attempt;
  /** Undefined when it still runs. */
  readonly ending: Ending | undefined;
}

/** Everything that a former process of this agent left, running or ended. */
export async function adoptAll(host: Host, roots: Roots): Promise<Adopted[]> {
  const names = readdirSync(roots.disk).filter((name) => readKeyText(name) !== undefined);
  const known = new Set(names);
  rmSync(roots.spares, { recursive: true, force: true });
  for (const name of readdirSync(roots.memory)) {
    const file = join(roots.memory, name);
    if (!known.has(name) && file !== roots.lease) rmSync(file, { recursive: true, force: true });
  }
  await clearOthers(host.groups, known);
  return Promise.all(names.map((name) => adopt(host, roots, name)));
}

async function adopt(host: Host, roots: Roots, name: string): Promise<Adopted> {
  const layout = layoutOf(roots, name);
  const kept = readOrder(layout);
  const record = (await preventStart(layout.record)) ? undefined : readRecord(layout.record);
  // There is no order when it says nothing, or after a restart of the host, when it does not matter any more, save for what to
  // hide: nobody knows that then, unless the record says that there is nothing.
  const hide = kept?.hide ?? (record?.hides === false ? [] : undefined);
  const attempt = newAttempt(readKeyText(name)!, layout, kept ?? plainOrder, hide);
  attempt.limited = true;
  const stop = readStop(layout);
  if (stop) attempt.stop = stop;
  if (!record)
    return {
      attempt,
      ending: lost("the agent was restarted before the body began, or while it ran inside the agent"),
    };
  attempt.startedAt = record.startedAt;
  attempt.shim = record;
  if (record.exit) return { attempt, ending: await settle(host, attempt) };
  if (record.boot !== host.boot)
    return { attempt, ending: lost("the host was restarted while it ran", record) };
  if (isAlive(record)) {
    // The former process may have been holding it back when it died.
    signalGroup(record.pid, "SIGCONT");
    return { attempt, ending: undefined };
  }
  if (stop) return { attempt, ending: await settle(host, attempt) };
  await killMarked(markOf(layout));
  return { attempt, ending: lost("its processes were gone when the agent came back", record) };
}

/** An attempt whose body has not begun has no `startedAt`. */
function lost(why: string, record?: ShimRecord): Ending {
  return {
    outcome: "lost",
    why,
    endedAt: new Date(),
    final: false,
    ...(record && { startedAt: record.startedAt }),
  };
}
