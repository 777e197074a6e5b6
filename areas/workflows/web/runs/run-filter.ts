import { type RunCause, type RunState, runCauses, runStates, type Scope } from "@reeve/model";
import type { RunQuery } from "@reeve/sdk";

/** How far back the list looks; `any` is everything. */
export const periods = { hour: 3_600_000, day: 86_400_000, week: 604_800_000 } as const;

/** What the address asks for. What it has that means nothing is left out, as a person may have typed it. */
export function filterOf(query: Readonly<Record<string, string>>, scope: Scope, now: number): RunQuery {
  const states = (query.state ?? "").split(",").filter((word): word is RunState => isOneOf(runStates, word));
  const period = periods[query.within as keyof typeof periods];
  return {
    ...(scope !== "" && { scope }),
    ...(query.workflow && { about: { kind: "Workflow", name: query.workflow } }),
    ...(states.length > 0 && { states }),
    ...(isOneOf(runCauses, query.cause ?? "") && { cause: query.cause as RunCause }),
    // By the minute: a filter that changes with every look could not be watched.
    ...(period !== undefined && {
      since: new Date(Math.floor((now - period) / 60_000) * 60_000).toISOString(),
    }),
  };
}

function isOneOf(words: readonly string[], word: string): boolean {
  return words.includes(word);
}
