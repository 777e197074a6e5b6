import type { LogMatch } from "@reeve/model";
import type { LogPart } from "@reeve/sdk";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { asFault, client } from "../../client.ts";

export interface LogSearch {
  readonly what: string;
  /** It looks for errors instead of a text. */
  readonly errors: boolean;
  readonly found: readonly LogMatch[];
  /** Which of them is shown. */
  readonly at: number;
  /** Whether all have been found. */
  readonly whole: boolean;
  readonly busy: boolean;
  readonly problem?: string;
}

/** So many are fetched ahead: a search that finds a million lines need not tell them all. */
const ahead = 100;
/** Which of the first matches is looked at first; what is in view already is not gone to. */
type From = (found: readonly LogMatch[]) => Promise<number>;

const nothing: LogSearch = { what: "", errors: false, found: [], at: -1, whole: true, busy: false };

/** Looks through the whole log on the server, not only through what is loaded. */
export function useLogSearch(run: string, part: LogPart, show: (match: LogMatch) => void) {
  const [search, setSearch] = useState<LogSearch>(nothing);
  const source = useRef<AsyncGenerator<LogMatch, void>>(undefined);
  const latest = useRef(search);
  latest.current = search;
  const showing = useRef(show);
  showing.current = show;
  const { seq, attempt, stream } = part;

  // biome-ignore lint/correctness/useExhaustiveDependencies: what was found is of another log
  useEffect(() => {
    source.current = undefined;
    setSearch(nothing);
  }, [run, seq, attempt, stream]);

  const more = useCallback(async (from: AsyncGenerator<LogMatch, void>): Promise<readonly LogMatch[]> => {
    const found: LogMatch[] = [];
    while (found.length < ahead) {
      const { done, value } = await from.next();
      if (done) break;
      found.push(value);
    }
    return found;
  }, []);

  async function begin(what: string, from: AsyncGenerator<LogMatch, void>, first?: From): Promise<void> {
    source.current = from;
    const errors = what === "";
    setSearch({ ...nothing, what, errors, busy: true });
    try {
      const found = await more(from);
      const at = found.length === 0 ? -1 : ((await first?.(found)) ?? 0);
      if (source.current !== from) return;
      setSearch({ what, errors, found, at, whole: found.length < ahead, busy: false });
      if (first === undefined && found[at] !== undefined) showing.current(found[at]);
    } catch (error) {
      if (source.current === from) setSearch({ ...nothing, what, problem: asFault(error).message });
    }
  }

  async function step(by: 1 | -1): Promise<void> {
    const { found, at, whole, busy } = latest.current;
    if (found.length === 0 || busy) return;
    let all = found;
    let ended = whole;
    if (by === 1 && at === found.length - 1 && !whole && source.current !== undefined) {
      setSearch({ ...latest.current, busy: true });
      const next = await more(source.current);
      all = [...found, ...next];
      ended = next.length < ahead;
    }
    const to = (at + by + all.length) % all.length;
    setSearch({ ...latest.current, found: all, whole: ended, at: to, busy: false });
    showing.current(all[to] as LogMatch);
  }

  // biome-ignore lint/correctness/useExhaustiveDependencies: what it is about; a log that scrolls has the same tools
  return useMemo(
    () => ({
      search,
      find: (text: string, first?: From) =>
        text === ""
          ? setSearch(nothing)
          : void begin(text, client.logs.search(run, text, { ...part, ignoreCase: true }), first),
      findErrors: () => void begin("", client.logs.errors(run, part)),
      step: (by: 1 | -1) => void step(by),
    }),
    [search, run, seq, attempt, stream],
  );
}
