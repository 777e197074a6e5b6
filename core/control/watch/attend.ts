import { Fault } from "@reeve/model";
import type { Context } from "../context.ts";
import type { EventOut } from "../route.ts";
import { type Attendance, watchRights } from "./rights.ts";

export type { Attendance } from "./rights.ts";

const quietMs = 15_000;
/** What is held back for a reader whose rights are being looked up; beyond this it comes back by itself. */
const heldMost = 10_000;

/**
 * A stream of anything but resources, for as long as its reader may read it: nothing is told while that is being found out.
 * The second function is called when the stream is over, whoever ended it.
 */
export function attend(
  context: Pick<Context, "identity" | "hub">,
  attendance: Attendance,
  out: EventOut,
  onLeave: () => void,
): EventOut & { leave(): void } {
  const held: (string | Buffer)[] = [];
  let over = false;

  function leave(): void {
    if (over) return;
    over = true;
    rights.leave();
    clearInterval(quiet);
    onLeave();
  }
  function end(fault?: Fault): void {
    if (over) return;
    leave();
    out.end(fault);
  }
  const rights = watchRights(context, attendance, end, () => {
    if (!over) for (const text of held.splice(0)) void out.tell(text);
  });
  // A sign of life: a dead network says nothing for hours.
  const quiet = setInterval(() => void out.tell(": here\n\n"), quietMs);
  return {
    leave,
    end,
    tell(text) {
      if (over) return undefined;
      if (!rights.asking) return out.tell(text);
      held.push(text);
      if (held.length > heldMost)
        end(new Fault("unavailable", "the stream cannot keep up", { next: "connect again" }));
      return undefined;
    },
  };
}
