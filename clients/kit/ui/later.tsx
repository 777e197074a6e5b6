import { type ReactNode, useDeferredValue } from "react";

/** Begun after what it stands in has been shown: a large page comes in several short steps, not in one long one. */
export function Later({ children }: { readonly children: ReactNode }) {
  return useDeferredValue(true, false) ? children : null;
}
