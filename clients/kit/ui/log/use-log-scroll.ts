import { useElementSize } from "@mantine/hooks";
import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";
import { layOf, lineHeight } from "./scroll.ts";

export interface LogScroll {
  readonly box: RefObject<HTMLElement | null>;
  /** Measures the box. */
  readonly sized: (element: HTMLElement | null) => void;
  /** The height of all lines as the box believes it. */
  readonly height: number;
  readonly viewHeight: number;
  readonly first: number;
  readonly cut: number;
  readonly atEnd: boolean;
  readonly following: boolean;
  readonly follow: (on: boolean) => void;
  /** Brings a line into the middle. */
  readonly show: (line: number) => void;
  readonly scrolled: () => void;
}

/** Which lines are seen. It follows the end until somebody scrolls away from it, and again when they come back. */
export function useLogScroll(count: number, live: boolean): LogScroll {
  const box = useRef<HTMLElement>(null);
  const { ref: sized, height: viewHeight } = useElementSize();
  const [top, setTop] = useState(0);
  const [following, follow] = useState(live);
  /** Where we scrolled to ourselves: that is not somebody scrolling away. */
  const own = useRef(-1);
  const lay = layOf(count, viewHeight);
  const end = Math.max(0, lay.height - viewHeight);

  const scrollTo = useCallback((to: number) => {
    const element = box.current;
    if (element === null) return;
    element.scrollTop = to;
    own.current = element.scrollTop;
    setTop(element.scrollTop);
  }, []);

  useLayoutEffect(() => {
    if (following && viewHeight > 0) scrollTo(end);
  }, [following, end, viewHeight, scrollTo]);

  const wanted = useRef<number>(undefined);
  const show = (line: number) => {
    follow(false);
    wanted.current = line;
    scrollTo(lay.top(Math.max(0, line - Math.floor(viewHeight / lineHeight / 2))));
  };
  // A line that was asked for before it was counted.
  // biome-ignore lint/correctness/useExhaustiveDependencies: once more when there are enough lines, or the box has a size
  useEffect(() => {
    if (wanted.current !== undefined && wanted.current < count && viewHeight > 0) {
      show(wanted.current);
      wanted.current = undefined;
    }
  }, [count > (wanted.current ?? 0), viewHeight > 0]);

  return {
    ...{ box, sized, height: lay.height, viewHeight, ...lay.at(top), following, follow, show },
    atEnd: top >= end - 1,
    scrolled() {
      const now = box.current?.scrollTop ?? 0;
      setTop(now);
      if (Math.abs(now - own.current) <= 1) return;
      own.current = -1;
      if (live) follow(now >= end - lineHeight);
      else follow(false);
    },
  };
}
