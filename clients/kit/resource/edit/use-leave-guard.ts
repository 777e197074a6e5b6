import { useBlocker } from "@tanstack/react-router";
import { useRef } from "react";

/** Asks before a page is left with something unsaved on it. What it returns says that it may be left now. */
export function useLeaveGuard(unsaved: boolean): () => void {
  const free = useRef(false);
  useBlocker({
    // The same page may change its query: form or YAML.
    shouldBlockFn: ({ current, next }) =>
      unsaved &&
      !free.current &&
      current.pathname !== next.pathname &&
      !globalThis.confirm("Leave this page? What you wrote is not applied yet."),
    enableBeforeUnload: () => unsaved && !free.current,
  });
  return () => {
    free.current = true;
  };
}
