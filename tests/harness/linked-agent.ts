import { hostFacts } from "../../core/agent/facts.ts";
import { enrol } from "../../core/agent/link/enrol.ts";
import { type LinkEnd, openLink } from "../../core/agent/link/link.ts";
import type { Bench } from "./bench.ts";

/** An agent that joins and stays connected with the agent's own link, and executes nothing. */
export interface LinkedAgent {
  readonly uid: string;
  /** Why it ended for good. */
  readonly ended: Promise<LinkEnd>;
  stop(): void;
}

export async function linkAgent(
  bench: Bench,
  options: { urls: readonly string[]; token: string; name: string },
): Promise<LinkedAgent> {
  const facts = hostFacts("test", ["noop"]);
  const identity = await enrol({ ...options, labels: {}, facts });
  const link = openLink({
    identity,
    keep: async () => {},
    facts,
    slots: 4,
    ear: {
      inventory: () => [],
      freeSlots: () => 4,
      status: () => ({}),
      welcome() {},
      offers() {},
      verdicts() {},
      stops() {},
      dial() {},
      usageHeard() {},
    },
    log() {},
  });
  bench.keep({ end: () => link.stop(), killNow: () => link.stop() });
  return { uid: identity.uid, ended: link.ended, stop: link.stop };
}
