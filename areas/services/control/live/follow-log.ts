import { setTimeout as sleep } from "node:timers/promises";
import {
  type Attendance,
  attend,
  type Context,
  type EventOut,
  eventText,
  type RouteAnswer,
} from "@reeve/control";
import { timeKey } from "@reeve/model";
import type { KeptOn } from "@reeve/store";
import { type HostLine, linesFrom } from "./host-lines.ts";

export interface LogPlace {
  /** The service's uid. */
  readonly service: string;
  readonly hosts: readonly KeptOn[];
  /** Those that it is on by now. */
  readonly look: () => Promise<readonly KeptOn[]>;
}

interface Asked {
  readonly after?: string;
  readonly tail?: number | undefined;
}

const againMs = 2000;
/** A host that the service came to since is noticed so soon. */
const lookMs = 5000;

/** What is there and what comes, from all hosts; one whose agent is lost goes on where it was when it is back. */
export function followServiceLog(
  context: Context,
  attendance: Attendance,
  { service, hosts, look }: LogPlace,
  asked: Asked,
): NonNullable<RouteAnswer["events"]> {
  return (out) => {
    const over = new AbortController();
    const attended = attend(context, attendance, out, () => over.abort());
    /** The last line of each host that was told: whoever comes back may hear some twice, and misses none. */
    const told = new Map<string, string>();
    const add = (some: readonly KeptOn[]) => {
      for (const host of some) {
        if (told.has(host.host)) continue;
        told.set(host.host, asked.after ?? "");
        void followHost(context, host, { service, asked, told, out: attended, over: over.signal });
      }
    };
    add(hosts);
    void lookForMore(look, add, over.signal);
    return attended.leave;
  };
}

async function lookForMore(
  look: LogPlace["look"],
  add: (some: readonly KeptOn[]) => void,
  signal: AbortSignal,
): Promise<void> {
  const pause = () => sleep(lookMs, true, { signal, ref: false }).catch(() => false);
  // What cannot be asked now is asked again.
  while (await pause()) add(await look().catch(() => []));
}

interface Following {
  readonly service: string;
  readonly asked: Asked;
  readonly told: Map<string, string>;
  readonly out: EventOut;
  readonly over: AbortSignal;
}

async function followHost(
  { tunnels }: Context,
  { agent, host }: KeptOn,
  following: Following,
): Promise<void> {
  const { service, asked, told, out, over } = following;
  let noted = "";
  let { tail } = asked;
  while (!over.aborted) {
    const after = told.get(host);
    const wanted = { service, ...asked, tail, ...(after && { after }), follow: true };
    try {
      const tunnel = await tunnels.open(agent, { opens: "service-logs", with: JSON.stringify(wanted) });
      over.addEventListener("abort", tunnel.close, { once: true });
      if (over.aborted) return tunnel.close();
      for await (const lines of linesFrom(host, tunnel)) {
        noted = "";
        tail = undefined;
        await tell(lines, told, out);
        if (over.aborted) return;
      }
    } catch (error) {
      const why = (error as Error).message;
      if (why !== noted && !over.aborted) void out.tell(eventText("note", { host, why }));
      noted = why;
    }
    await sleep(againMs, undefined, { signal: over, ref: false }).catch(() => undefined);
  }
}

async function tell(lines: readonly HostLine[], told: Map<string, string>, out: EventOut): Promise<void> {
  const last = lines.at(-1);
  if (last === undefined) return;
  told.set(last.host, last.at);
  const earliest = [...told.values()].reduce((first, at) => (timeKey(at) < timeKey(first) ? at : first));
  const texts = lines.map((line, index) =>
    // Only the last of them is a place to go on from.
    eventText("line", { ...line }, index === lines.length - 1 && earliest !== "" ? earliest : undefined),
  );
  await out.tell(texts.join(""));
}
