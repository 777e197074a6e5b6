import { showScope } from "@reeve/model";
import type { Question } from "@reeve/sdk";
import { useEffect, useSyncExternalStore } from "react";
import { client } from "../client.ts";

/** Whether the person may, and if not what they would need; undefined until it is known. */
export interface Can {
  readonly allowed: boolean | undefined;
  readonly reason?: string;
}

type Asked = Omit<Question, "as">;

const unknown: Can = { allowed: undefined };
/** Rights change seldom; the server judges every change again anyway. */
const freshMs = 60_000;
const atOnce = 500;

const answers = new Map<string, { readonly can: Can; readonly at: number }>();
const listeners = new Set<() => void>();
let waiting = new Map<string, Asked>();

/** What the person may do. Everything that a page asks in one moment is one request. */
export function useCan(question: Asked): Can {
  const key = JSON.stringify([question.verb, question.kind, question.scope, question.name]);
  const can = useSyncExternalStore(listen, () => answers.get(key)?.can ?? unknown);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key is all of the question
  useEffect(() => {
    const known = answers.get(key);
    if (known !== undefined && Date.now() - known.at < freshMs) return;
    if (waiting.size === 0) setTimeout(() => void ask());
    waiting.set(key, question);
  }, [key]);
  return can;
}

function listen(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

async function ask(): Promise<void> {
  const asked = [...waiting];
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
      answers.set(key, { can, at: Date.now() });
    });
  }
  for (const listener of [...listeners]) listener();
}
