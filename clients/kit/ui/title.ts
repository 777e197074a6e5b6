import { useEffect } from "react";

/** Names the window after the page, for tabs and bookmarks. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Reeve`;
  }, [title]);
}
