import { type Caller, Fault } from "@reeve/model";
import type { Context } from "../context.ts";
import type { Credential } from "../guard/identity.ts";
import type { EventOut } from "../route.ts";

const recheckMs = 30_000;
const quietMs = 15_000;
/** What is held back for a reader whose rights are being looked up; beyond this it comes back by itself. */
const heldMost = 10_000;

/** Who reads a stream, and what lets them: asked now and then, and at once when their rights may have changed. */
export interface Attendance {
  readonly caller: Caller | undefined;
  readonly credential: Credential | undefined;
  readonly refusal: (caller: Caller | undefined) => Fault | undefined;
}

/**
 * A stream of anything but resources, for as long as its reader may read it: nothing is told while that is being found out.
 * The second function is called when the stream is over, whoever ended it.
 */
export function attend(
  context: Pick<Context, "identity" | "hub">,
  { caller, credential, refusal }: Attendance,
  out: EventOut,
  onLeave: () => void,
): EventOut & { leave(): void } {
  const held: (string | Buffer)[] = [];
  let checks = 0;
  let over = false;

  function leave(): void {
    if (over) return;
    over = true;
    leaveHub();
    clearInterval(checking);
    clearInterval(quiet);
    onLeave();
  }
  function end(fault?: Fault): void {
    if (over) return;
    leave();
    out.end(fault);
  }
  async function recheck(): Promise<void> {
    checks++;
    try {
      const now = credential && (await context.identity.identify(credential));
      const fault = refusal(now);
      if (fault !== undefined) end(fault);
    } catch (error) {
      // An outage is no reason to end a stream: whoever lost the right is found at the next check.
      if (error instanceof Fault && error.kind !== "unavailable") end(error);
    }
    checks--;
    if (checks === 0 && !over) for (const text of held.splice(0)) void out.tell(text);
  }

  const leaveHub = context.hub.attend({
    subjectUid: caller?.subject.uid ?? "",
    recheck: () => void recheck(),
    close: () =>
      end(new Fault("unavailable", "the server is stopping", { next: "connect again", retryAfterMs: 500 })),
  });
  const checking = setInterval(() => void recheck(), recheckMs);
  // A sign of life: a dead network says nothing for hours.
  const quiet = setInterval(() => void out.tell(": here\n\n"), quietMs);
  return {
    leave,
    end,
    tell(text) {
      if (over) return undefined;
      if (checks === 0) return out.tell(text);
      held.push(text);
      if (held.length > heldMost)
        end(new Fault("unavailable", "the stream cannot keep up", { next: "connect again" }));
      return undefined;
    },
  };
}
