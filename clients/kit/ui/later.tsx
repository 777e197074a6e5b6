import { type ReactNode, startTransition, useEffect, useState } from "react";

/** Begun after what it stands in has been shown: a large page comes in several short steps, not in one long one. */
export function Later({ children }: { readonly children: ReactNode }) {
  const [isDue, setDue] = useState(false);
  useEffect(() => startTransition(() => setDue(true)), []);
  return isDue ? children : null;
}
