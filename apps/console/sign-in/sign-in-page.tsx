import { useQuery, useTitle } from "@reeve/kit";
import { useEffect, useState } from "react";
import { useAttempt } from "./attempt.ts";
import type { Pending } from "./calls.ts";
import { FirstStep } from "./first-step.tsx";
import { ownPage } from "./own-page.ts";
import { PlainCard } from "./plain-card.tsx";
import { SecondStep } from "./second-step.tsx";

export default function SignInPage() {
  useTitle("Sign in");
  const attempting = useAttempt();
  const [{ to }] = useQuery();
  const [begun] = useState(begunElsewhere);
  const [pending, setPending] = useState<Pending>(begun);
  // A fragment reaches no log, but it would stay in the browser's history.
  useEffect(
    () =>
      globalThis.history.replaceState(null, "", globalThis.location.pathname + globalThis.location.search),
    [],
  );

  const goOn = (answer: Pending) => {
    // A whole new page, so that nothing of an earlier session is left in this window.
    if (answer.pending === undefined) globalThis.location.assign(ownPage(begun.return ?? to));
    else setPending(answer);
  };
  return (
    <PlainCard title="Sign in" problem={attempting.problem}>
      {pending.pending === undefined ? (
        <FirstStep attempting={attempting} onDone={goOn} to={ownPage(to)} />
      ) : (
        <SecondStep attempting={attempting} pending={pending} onDone={() => goOn({})} />
      )}
    </PlainCard>
  );
}

/** A sign-in that began at an identity provider goes on here. */
function begunElsewhere(): Pending & { readonly return?: string } {
  const words = new URLSearchParams(globalThis.location.hash.slice(1));
  const [pending, to] = [words.get("pending"), words.get("return")];
  return { ...(pending !== null && { pending }), ...(to !== null && { return: to }) };
}
