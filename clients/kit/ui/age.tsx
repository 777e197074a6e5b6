import { Text, Tooltip } from "@mantine/core";
import { showDuration } from "@reeve/model";
import { useSyncExternalStore } from "react";

interface Props {
  readonly at: string | undefined | null;
  /** What stands when it never was. */
  readonly never?: string;
}

/** How long ago, or in how long; the exact time on hover. It grows older by itself. */
export function Age({ at, never = "never" }: Props) {
  const text = useSyncExternalStore(everySecond, () => (at ? ageText(at, Date.now()) : never));
  if (!at)
    return (
      <Text span inherit c="dimmed">
        {never}
      </Text>
    );
  return (
    <Tooltip label={exactTime(at)}>
      <Text span inherit component="time" dateTime={at} style={{ whiteSpace: "nowrap" }}>
        {text}
      </Text>
    </Tooltip>
  );
}

function ageText(at: string, now: number): string {
  const ms = now - Date.parse(at);
  if (Number.isNaN(ms)) return at;
  if (Math.abs(ms) < 2000) return "now";
  return ms < 0 ? `in ${showDuration(-ms)}` : `${showDuration(ms)} ago`;
}

function exactTime(at: string): string {
  const time = new Date(at);
  return Number.isNaN(time.getTime())
    ? at
    : `${time.toLocaleString(undefined, { dateStyle: "medium", timeStyle: "long" })}`;
}

const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

/** One timer for all ages of the window; a component is drawn again only when its own words change. */
function everySecond(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => {
    for (const one of listeners) one();
  }, 1000);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}
