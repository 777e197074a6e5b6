import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from "react";

/** What had the focus before the first of several dialogs that stand on or follow one another. */
let outside: HTMLElement | null = null;

/** A dialog gives the focus back when it goes; the library does so only for those that stay mounted. */
export function useFocusBack(): void {
  const [from] = useState(() => {
    const focused = document.activeElement as HTMLElement | null;
    if (focused === null || focused === document.body) return null;
    if (focused.closest("[role=dialog]") === null) outside = focused;
    return focused;
  });
  useEffect(
    () => () => {
      const below = [...document.querySelectorAll<HTMLElement>("[role=dialog]")].at(-1);
      const back = from?.isConnected ? from : (below ?? outside);
      back?.focus({ preventScroll: true });
    },
    [from],
  );
}

/** A button is disabled while it works, and loses the focus by that; it has it again afterwards. */
export function useFocusKept(busy: boolean): RefObject<HTMLButtonElement | null> {
  const button = useRef<HTMLButtonElement>(null);
  const had = useRef(false);
  useLayoutEffect(() => {
    if (busy) had.current = document.activeElement === button.current;
    else if (had.current && document.activeElement === document.body)
      button.current?.focus({ preventScroll: true });
  }, [busy]);
  return button;
}
