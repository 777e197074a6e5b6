import { type Caller, Fault, narrowingOf } from "@reeve/model";
import type { Controller } from "../controller.ts";

/** What callers may do to what is their own. A credential that was made for less than its subject may has nothing of its own. */
export function ownRule(caller: Caller, controller: Controller | undefined): Controller["mine"] {
  return narrowingOf(caller) === undefined ? controller?.mine : undefined;
}

/** The fault to refuse with where what is the subject's own is asked for by such a credential. */
export function narrowness(caller: Caller): Fault | undefined {
  if (narrowingOf(caller) === undefined) return undefined;
  return new Fault("forbidden", "this is not for a token that was made for less than its subject may", {
    next: "sign in, or use a token without `within` and `allows`",
  });
}
