import { Center } from "@mantine/core";
import { asFault, client, FaultView, type Me, MeContext, onSignedOut, paths } from "@reeve/kit";
import type { CallFault } from "@reeve/sdk";
import { type ReactNode, startTransition, useEffect, useState } from "react";
import { Loading } from "./fallbacks.tsx";

/** Shows its content to who is signed in. Who is not, or no longer, signs in and comes back to the same address. */
export function SignedIn({ children }: { readonly children: ReactNode }) {
  const [me, setMe] = useState<Me | CallFault>();
  useEffect(() => onSignedOut(goSignIn), []);
  useEffect(() => {
    Promise.all([client.whoami(), client.kinds()]).then(
      // The whole page appears with it: in small pieces, between which it answers.
      ([whoami, kinds]) => startTransition(() => setMe({ whoami, kinds })),
      (error: unknown) => setMe(asFault(error)),
    );
  }, []);
  if (me === undefined) return <Loading />;
  if (!("whoami" in me))
    return me.kind === "unauthenticated" ? (
      <Loading />
    ) : (
      <Center mih="60vh" p="md">
        <FaultView fault={me} />
      </Center>
    );
  return <MeContext value={me}>{children}</MeContext>;
}

/** The stream of this window hears of it, too: it must not leave for the sign-in with the address that one has left. */
export async function signOut(): Promise<void> {
  going = true;
  try {
    await client.signOut();
  } catch (error) {
    going = false;
    throw error;
  }
  globalThis.location.assign(paths.signIn());
}

let going = false;

/**
 * A whole new page, so that nothing of the old session stays in this window. Once: what a page asks at once is refused at once, and
 * every further way to the same page would begin it anew.
 */
function goSignIn(): void {
  if (going) return;
  going = true;
  const { pathname, search, hash } = globalThis.location;
  globalThis.location.assign(paths.signIn(pathname + search + hash));
}
