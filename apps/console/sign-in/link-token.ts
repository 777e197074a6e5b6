import { useEffect, useState } from "react";

/** The token of a link that works once. It is in the fragment, which a browser never sends: it reaches no log and no proxy. */
export function useLinkToken(): string {
  const [token] = useState(() => globalThis.location.hash.slice(1));
  return token;
}

/** Takes the token out of the address, when it has been used. */
export function useForgetToken(used: boolean): void {
  useEffect(() => {
    if (used) globalThis.history.replaceState(null, "", globalThis.location.pathname);
  }, [used]);
}

export const wholeLink = "This page needs the whole link you were given, with everything after the #.";
