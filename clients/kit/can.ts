import { no, type Permission, type Scope, showScope, type Verdict, yes } from "@reeve/model";
import type { Answer } from "@reeve/sdk";
import { useEffect, useState } from "react";
import { client } from "./client.ts";

export interface Matter {
  readonly verb: string;
  /** A kind's name, or `runs`. */
  readonly kind: string;
  readonly scope: Scope;
  readonly name?: string;
}

/** Rights change seldom, and the server refuses by what is true then: an answer may be this old. */
const keptMs = 30_000;
const mostAtOnce = 500;
const known = new Map<string, { at: number; answer: Promise<Verdict> }>();
let waiting: { matter: Matter; settle: (answer: Answer | Error) => void }[] = [];

/** Whether one may do each of these; undefined while it is being asked. All that a page asks goes in one request. */
export function useCan(matters: readonly Matter[]): readonly (Verdict | undefined)[] {
  const [verdicts, setVerdicts] = useState<readonly (Verdict | undefined)[]>([]);
  const key = JSON.stringify(matters);
  useEffect(() => {
    let over = false;
    Promise.all((JSON.parse(key) as Matter[]).map(ask)).then((all) => {
      if (!over) setVerdicts(all);
    }, console.error);
    return () => {
      over = true;
    };
  }, [key]);
  return matters.map((_, index) => verdicts[index]);
}

function ask(matter: Matter): Promise<Verdict> {
  const key = JSON.stringify(matter);
  const before = known.get(key);
  if (before !== undefined && Date.now() - before.at < keptMs) return before.answer;
  const answer = new Promise<Answer>((resolve, reject) => {
    if (waiting.length === 0) queueMicrotask(askAll);
    waiting.push({ matter, settle: (told) => (told instanceof Error ? reject(told) : resolve(told)) });
  }).then(verdictOf, () => {
    known.delete(key);
    // What cannot be asked is tried: the server has the last word anyway.
    return yes;
  });
  if (known.size > 2000) known.clear();
  known.set(key, { at: Date.now(), answer });
  return answer;
}

async function askAll(): Promise<void> {
  const all = waiting;
  waiting = [];
  for (let from = 0; from < all.length; from += mostAtOnce) {
    const some = all.slice(from, from + mostAtOnce);
    try {
      const answers = await client.canIMany(some.map(({ matter }) => matter));
      for (const [index, { settle }] of some.entries()) settle(answers[index] ?? new Error("no answer"));
    } catch (error) {
      for (const { settle } of some) settle(error as Error);
    }
  }
}

function verdictOf({ allowed, permission, scope }: Answer): Verdict {
  return allowed ? yes : no(`you need ${permission as Permission} in ${showScope(scope)}`);
}
