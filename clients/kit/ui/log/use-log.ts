import type { LogPart } from "@reeve/sdk";
import { useEffect, useMemo, useSyncExternalStore } from "react";
import { client } from "../../client.ts";
import { type LogState, type LogWindow, openLogWindow } from "./log-window.ts";

/** A window that nobody looks at lets go of its connection, and goes on where it was when it is seen again. */
const hiddenMs = 60_000;

/** The log of a run, or of a part of it, as it comes. */
export function useLog(
  run: string,
  { seq, attempt, stream }: LogPart,
  endedAt: string | undefined,
): { log: LogWindow; state: LogState } {
  const log = useMemo(() => {
    const part: LogPart = {
      ...(seq !== undefined && { seq }),
      ...(attempt !== undefined && { attempt }),
      ...(stream !== undefined && { stream }),
    };
    return openLogWindow({
      index: (signal) => client.logs.index(run, part, signal),
      lines: (page, skip) => client.logs.lines(run, part, page, skip),
      follow: (after, options) => client.logs.follow(run, part, { ...options, after }),
    });
  }, [run, seq, attempt, stream]);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const seen = () => {
      clearTimeout(timer);
      if (document.hidden) timer = setTimeout(log.rest, hiddenMs);
      else log.go();
    };
    if (document.hidden) seen();
    document.addEventListener("visibilitychange", seen);
    return () => {
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", seen);
      log.rest();
    };
  }, [log]);
  // What is done over writes more. It may have begun and ended between two looks: then only another end tells of it.
  // biome-ignore lint/correctness/useExhaustiveDependencies: see above
  useEffect(() => log.go(), [log, endedAt]);
  return { log, state: useSyncExternalStore(log.subscribe, log.state) };
}
