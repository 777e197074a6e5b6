import type { RunResult, Scope } from "@reeve/model";
import { useEffect, useMemo, useRef, useState } from "react";
import { client } from "../client.ts";
import { tellFault } from "../ui/notify.tsx";
import { lastResults, resultsShown } from "./results.ts";
import { useRuns } from "./use-run.ts";

const toldMost = 200;
const openMost = 500;

/**
 * How the last runs of these definitions went. They are read once and told from then on; what can have been missed, because the
 * connection was lost or a run ended that is no longer among the newest, is read again.
 */
export function useResults(uids: readonly string[], scope: Scope): ReadonlyMap<string, readonly RunResult[]> {
  const within = scope === "" ? {} : { scope };
  const newest = useRuns(within, toldMost);
  const open = useRuns({ ...within, states: ["queued", "running"] }, openMost);
  const [read, setRead] = useState<readonly RunResult[]>([]);
  const told = useMemo(() => [...newest.rows, ...open.rows], [newest.rows, open.rows]);
  const missed = useMissed(told, open.rows);
  const isLive = newest.state === "live";
  const key = [...uids].sort().join(",");
  // biome-ignore lint/correctness/useExhaustiveDependencies: read again when something was missed
  useEffect(() => {
    if (key === "" || !isLive) return;
    let over = false;
    client.runs.latest(key.split(","), resultsShown).then((results) => over || setRead(results), tellFault);
    return () => {
      over = true;
    };
  }, [key, isLive, missed]);
  return useMemo(() => lastResults(read, told), [read, told]);
}

/** Counts how often an open run went out of sight, so that its end was not told. */
function useMissed(told: readonly { id: string }[], open: readonly { id: string }[]): number {
  const before = useRef<readonly { id: string }[]>([]);
  const [missed, setMissed] = useState(0);
  useEffect(() => {
    const known = new Set(told.map(({ id }) => id));
    if (before.current.some(({ id }) => !known.has(id))) setMissed((count) => count + 1);
    before.current = open;
  }, [told, open]);
  return missed;
}
