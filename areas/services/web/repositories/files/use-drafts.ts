import { useState } from "react";
import { type Drafts, noDrafts } from "./drafts.ts";

/** Kept for this window, so that another tab of the page, or loading it again, loses nothing that was typed. */
export function useDrafts(uid: string): [Drafts, (next: Drafts) => void] {
  const key = `reeve/drafts/${uid}`;
  const [drafts, setDrafts] = useState<Drafts>(() => {
    const kept = sessionStorage.getItem(key);
    return kept === null ? noDrafts : (JSON.parse(kept) as Drafts);
  });
  return [
    drafts,
    (next) => {
      if (Object.keys(next.files).length === 0) sessionStorage.removeItem(key);
      else sessionStorage.setItem(key, JSON.stringify(next));
      setDrafts(next);
    },
  ];
}
