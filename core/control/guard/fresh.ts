import { type Action, type Caller, Fault } from "@reeve/model";

/** How long a proof of identity counts for what is sensitive. */
export const freshMinutes = 10;

/** What is about a person's own signing in is nothing for a token, which proves no person. */
export function sessionless({ via }: Caller): Fault | undefined {
  if (via.kind === "session") return undefined;
  return new Fault("forbidden", "this needs a session: a token cannot prove that you are here", {
    next: "sign in with `reeve login` and do it there",
  });
}

/** The fault to refuse with, unless the caller's session has proved its identity lately. A stolen cookie or token cannot. */
export function staleness(caller: Caller): Fault | undefined {
  const { via } = caller;
  if (via.kind !== "session") return sessionless(caller);
  if (via.fresh) return undefined;
  // Pages and programs tell this refusal from others by its first words.
  return new Fault(
    "forbidden",
    `fresh authentication needed: your last proof is from ${via.authenticatedAt}`,
    {
      next: "run `reeve auth confirm` (POST /api/v1/sessions/current/confirm) and do it again within 10 minutes",
    },
  );
}

/** The same for an action, where it asks for a fresh proof; some ask it of sessions only. */
export function stalenessFor({ fresh }: Action, caller: Caller): Fault | undefined {
  if (fresh === undefined || (fresh === "or-token" && caller.via.kind !== "session")) return undefined;
  return staleness(caller);
}
