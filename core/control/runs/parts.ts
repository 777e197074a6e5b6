import { invalidField } from "@reeve/model";
import type { Context } from "../context.ts";
import type { RouteAnswer } from "../route.ts";
import type { FactsReader } from "./facts.ts";
import type { Live } from "./live.ts";

/** What the routes of runs share. */
export interface RunRouteParts {
  readonly context: Context;
  readonly facts: FactsReader;
  readonly live: Live;
}

export const runsTag = "Runs";
export const common = { tag: runsTag, demand: "operation" } as const;

export function answered(body: unknown): RouteAnswer {
  return { body: body as never };
}

export function seqOf(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw invalidField("/seq", "not a step: write its seq, a whole number");
}
