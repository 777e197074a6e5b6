import { useSyncExternalStore } from "react";
import { tookText } from "./took.ts";

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

/** A moment as it is from now, in its largest part: "5m ago", "in 3h". */
export function ageText(at: number, now: number): string {
  const ms = Math.abs(now - at);
  if (ms < 5 * second) return "now";
  const text = parts.find(({ size }) => ms >= size)?.text(ms) ?? "";
  return at <= now ? `${text} ago` : `in ${text}`;
}

const parts = [
  { size: day, text: (ms: number) => `${Math.floor(ms / day)}d` },
  { size: hour, text: (ms: number) => `${Math.floor(ms / hour)}h` },
  { size: minute, text: (ms: number) => `${Math.floor(ms / minute)}m` },
  { size: second, text: (ms: number) => `${Math.floor(ms / second)}s` },
];

/** A moment, from now, live; the exact time on hover. */
export function Age({
  at,
  fallback = "never",
}: {
  readonly at: string | undefined;
  readonly fallback?: string;
}) {
  const now = useNow();
  if (at === undefined) return <span>{fallback}</span>;
  const time = new Date(at);
  return (
    <time dateTime={at} title={exactTime(time)} style={{ whiteSpace: "nowrap" }}>
      {ageText(time.getTime(), now)}
    </time>
  );
}

/** How long something takes or took, live until it has an end. */
export function Took({ from, to }: { readonly from: string | undefined; readonly to: string | undefined }) {
  const now = useNow();
  if (from === undefined) return null;
  const end = to === undefined ? now : Date.parse(to);
  return <span style={{ whiteSpace: "nowrap" }}>{tookText(end - Date.parse(from))}</span>;
}

/** One for all, made when the first time is shown: to make one takes longer than to draw a page of rows. */
let exact: Intl.DateTimeFormat | undefined;

export function exactTime(time: Date): string {
  exact ??= new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "long" });
  return exact.format(time);
}

const listeners = new Set<() => void>();
let now = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;

/** The time, once a second; one clock for all ages of a page. */
export function useNow(): number {
  return useSyncExternalStore(listen, () => now);
}

function listen(listener: () => void): () => void {
  listeners.add(listener);
  if (timer === undefined) {
    now = Date.now();
    timer = setInterval(tick, second);
  }
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

function tick(): void {
  if (globalThis.document?.hidden) return;
  now = Date.now();
  for (const one of [...listeners]) one();
}
