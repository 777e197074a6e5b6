import { useElementSize, useMergedRef } from "@mantine/hooks";
import {
  type KeyboardEvent,
  type PointerEvent,
  type RefCallback,
  useCallback,
  useLayoutEffect,
  useRef,
  useState,
  type WheelEvent,
} from "react";
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
  /** For the box: what it does, and what a hand does to it. */
  readonly handlers: {
    readonly onScroll: () => void;
    readonly onWheel: (event: WheelEvent) => void;
    readonly onKeyDown: (event: KeyboardEvent) => void;
    readonly onPointerDown: (event: PointerEvent<HTMLElement>) => void;
    readonly onTouchMove: () => void;
  };
}

const upKeys = ["ArrowUp", "PageUp", "Home"];

/** Which lines are seen. It follows the end until somebody scrolls away from it, and again when they come back. */
export function useLogScroll(count: number, live: boolean): LogScroll {
  const element = useRef<HTMLElement>(null);
  const { ref: sized, height: viewHeight } = useElementSize();
  const box = useMergedRef(element, sized);
  const [top, setTop] = useState(0);
  const [following, follow] = useState(live);
  /** Boxes also scroll by themselves, when their size changes: only a hand ends or begins the following. */
  const byHand = useRef(false);
  const lay = layOf(count, viewHeight);
  const end = Math.max(0, lay.height - viewHeight);

  /** The line at the top, with its part: what stays in sight while the log grows. */
  const place = useRef(0);
  /** A line that was asked for: it stays in the middle, also when it was not counted yet, until a hand moves the log. */
  const wanted = useRef<number>(undefined);

  const scrollTo = useCallback((to: number) => {
    if (element.current === null) return;
    element.current.scrollTop = to;
    setTop(element.current.scrollTop);
  }, []);

  const show = (line: number) => {
    follow(false);
    wanted.current = line;
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

  const hand = (isAway: boolean) => {
    byHand.current = true;
    if (isAway) follow(false);
  };

  return {
    ...{ box, height: lay.height, viewHeight, ...lay.at(top), following, follow, show },
    atEnd: top >= end - 1,
    handlers: {
      onScroll() {
        const now = element.current?.scrollTop ?? 0;
        setTop(now);
        if (!byHand.current) return;
        const { first, cut } = lay.at(now);
        place.current = first + cut / lineHeight;
        wanted.current = undefined;
        if (live && now >= end - lineHeight) follow(true);
      },
      onWheel: ({ deltaY }) => hand(deltaY < 0),
      onKeyDown: ({ key }) => hand(upKeys.includes(key)),
      // Beside the content is the scroll bar.
      onPointerDown: ({ nativeEvent, currentTarget }) =>
        hand(nativeEvent.offsetX > currentTarget.clientWidth),
      onTouchMove: () => hand(true),
    },
  };
}
