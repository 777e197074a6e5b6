import { showScope } from "@reeve/model";
import type { Question } from "@reeve/sdk";
import { useEffect, useSyncExternalStore } from "react";
import { client } from "../client.ts";
import { onRights } from "./window-stream.ts";

/** Whether the person may, and if not what they would need; undefined until it is known. */
export interface Can {
  readonly allowed: boolean | undefined;
  readonly reason?: string;
}

type Asked = Omit<Question, "as">;

interface Answer {
  readonly can: Can;
  readonly askedAt: number;
}

const unknown: Can = { allowed: undefined };
/** Of what the page does not ask any more; what it asks is asked again when the stream says so. */
const freshMs = 60_000;
/** Another replica hears of a change of rights a moment later than the one that told of it. */
const toldMs = 500;
const atOnce = 500;

const answers = new Map<string, Answer>();
const listeners = new Set<() => void>();
/** What the page asks, and how many of its parts do. */
const asking = new Map<string, { readonly question: Asked; readonly count: number }>();
let waiting = new Map<string, Asked>();
let again: ReturnType<typeof setTimeout> | undefined;

onRights(() => {
  for (const key of answers.keys()) if (!asking.has(key)) answers.delete(key);
  if (again !== undefined) return;
  again = setTimeout(() => {
    again = undefined;
    for (const [key, { question }] of asking) askSoon(key, question);
  }, toldMs);
});

/** What the person may do, also when their rights change. Everything that a page asks in one moment is one request. */
export function useCan(question: Asked): Can {
  const key = JSON.stringify([question.verb, question.kind, question.scope, question.name]);
  const can = useSyncExternalStore(listen, () => answers.get(key)?.can ?? unknown);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key is all of the question
  useEffect(() => {
    count(key, question, 1);
    const known = answers.get(key);
    if (known === undefined || Date.now() - known.askedAt >= freshMs) askSoon(key, question);
    return () => count(key, question, -1);
  }, [key]);
  return can;
}

function count(key: string, question: Asked, by: 1 | -1): void {
  const count = (asking.get(key)?.count ?? 0) + by;
  if (count > 0) asking.set(key, { question, count });
  else asking.delete(key);
}

function listen(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function askSoon(key: string, question: Asked): void {
  if (waiting.size === 0) setTimeout(() => void ask());
  waiting.set(key, question);
}

async function ask(): Promise<void> {
  const asked = [...waiting];
  const askedAt = Date.now();
  waiting = new Map();
  for (let from = 0; from < asked.length; from += atOnce) {
    const some = asked.slice(from, from + atOnce);
    // Without an answer nothing is disabled: the server will say no by itself.
    const found = await client.canIMany(some.map(([, question]) => question)).catch(() => []);
    found.forEach(({ allowed, permission, scope }, at) => {
      const [key] = some[at] as [string, Asked];
      const can = allowed
        ? { allowed }
        : { allowed, reason: `you need ${permission} in ${showScope(scope)}` };
      // Of two that are under way, the one that was asked last knows better.
      if (askedAt >= (answers.get(key)?.askedAt ?? 0)) answers.set(key, { can, askedAt });
    });
  }
  for (const listener of [...listeners]) listener();
}
