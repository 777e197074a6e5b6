import { type Caller, Fault } from "@reeve/model";
import type { Context } from "../context.ts";
import type { Credential } from "../guard/identity.ts";

const recheckMs = 30_000;

/** Who has something open, and what lets them: asked now and then, and at once when their rights may have changed. */
export interface Attendance {
  readonly caller: Caller | undefined;
  readonly credential: Credential | undefined;
  readonly refusal: (caller: Caller | undefined) => Fault | undefined;
}

export interface Rights {
  /** Being found out at this moment. */
  readonly asking: boolean;
  leave(): void;
}

/** Calls `end` when they may not go on, or the server stops, and `fine` each time they may. */
export function watchRights(
  context: Pick<Context, "identity" | "hub">,
  { caller, credential, refusal }: Attendance,
  end: (fault: Fault) => void,
  fine: () => void = () => {},
): Rights {
  let checks = 0;
  async function recheck(): Promise<void> {
    checks++;
    try {
      const now = credential && (await context.identity.identify(credential));
      const fault = refusal(now);
      if (fault !== undefined) end(fault);
    } catch (error) {
      // An outage is no reason to end it: whoever lost the right is found at the next check.
      if (error instanceof Fault && error.kind !== "unavailable") end(error);
    }
    checks--;
    if (checks === 0) fine();
  }
  const leaveHub = context.hub.attend({
    subjectUid: caller?.subject.uid ?? "",
    recheck: () => void recheck(),
    close: () =>
      end(new Fault("unavailable", "the server is stopping", { next: "connect again", retryAfterMs: 500 })),
  });
  const checking = setInterval(() => void recheck(), recheckMs);
  return {
    get asking() {
      return checks > 0;
    },
    leave() {
      leaveHub();
      clearInterval(checking);
    },
  };
}
