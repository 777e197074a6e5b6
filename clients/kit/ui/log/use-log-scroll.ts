import { useElementSize, useMergedRef } from "@mantine/hooks";
import { type RefCallback, useCallback, useLayoutEffect, useRef, useState } from "react";
import { layOf, lineHeight } from "./scroll.ts";

export interface LogScroll {
  /** The box that scrolls. */
  readonly box: RefCallback<HTMLElement>;
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
  const element = useRef<HTMLElement>(null);
  const { ref: sized, height: viewHeight } = useElementSize();
  const box = useMergedRef(element, sized);
  const [top, setTop] = useState(0);
  const [following, follow] = useState(live);
  /** Where we scrolled to ourselves: that is not somebody scrolling away. */
  const own = useRef(-1);
  const lay = layOf(count, viewHeight);
  const end = Math.max(0, lay.height - viewHeight);

  /** The line at the top, with its part: what stays in sight while the log grows. */
  const place = useRef(0);
  /** A line that was asked for before it was counted. */
  const wanted = useRef<number>(undefined);

  const scrollTo = useCallback((to: number) => {
    if (element.current === null) return;
    element.current.scrollTop = to;
    own.current = element.current.scrollTop;
    setTop(element.current.scrollTop);
  }, []);

  const show = (line: number) => {
    follow(false);
    wanted.current = line < count && viewHeight > 0 ? undefined : line;
    place.current = Math.max(0, line - Math.floor(viewHeight / lineHeight / 2));
    scrollTo(lay.top(place.current));
  };

  // biome-ignore lint/correctness/useExhaustiveDependencies: when there are more lines, or the box has another size
  useLayoutEffect(() => {
    if (viewHeight === 0) return;
    if (following) scrollTo(end);
    else if (wanted.current !== undefined && wanted.current < count) show(wanted.current);
    else if (lay.factor !== 1) scrollTo(lay.top(place.current));
  }, [following, count, viewHeight]);

  return {
    ...{ box, height: lay.height, viewHeight, ...lay.at(top), following, follow, show },
    atEnd: top >= end - 1,
    scrolled() {
      const now = element.current?.scrollTop ?? 0;
      setTop(now);
      const { first, cut } = lay.at(now);
      if (Math.abs(now - own.current) <= 1) return;
      own.current = -1;
      place.current = first + cut / lineHeight;
      wanted.current = undefined;
      if (live) follow(now >= end - lineHeight);
      else follow(false);
    },
  };
}
