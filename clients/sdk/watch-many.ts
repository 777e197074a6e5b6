import type { Resource, Run, Scope, Step } from "@reeve/model";
import type { AuditRecord } from "@reeve/model/audit";
import type { AuditQuery } from "./audit.ts";
import { type CallFault, faultFromProblem } from "./call-fault.ts";
import { eventStream } from "./event-stream.ts";
import { type RunQuery, wordsOf } from "./runs.ts";
import { type Selection, selectionQuery } from "./selection.ts";
import type { SseEvent } from "./sse.ts";
import { endOf } from "./watch.ts";
import { parseJson, type Wire } from "./wire.ts";

/** A list of resources, a list of runs, one run with its steps, the audit, the agents of hosts, what one of them does, or what a host or a service uses. */
export type WatchPart =
  | (Selection & { readonly kind: string; readonly scope: Scope; readonly since?: number | undefined })
  | { readonly runs: RunQuery; readonly limit?: number }
  | { readonly run: string }
  | { readonly audit: AuditQuery; readonly limit?: number }
  | { readonly agents: { readonly scope: Scope } }
  | { readonly work: { readonly scope: Scope; readonly name: string } }
  | { readonly usage: { readonly kind: string; readonly scope: Scope; readonly name: string } };

/** What is known of a host's agent at this moment. */
export interface AgentNow {
  /** The host's. */
  readonly uid: string;
  readonly beatAt: string;
  readonly slots: number;
  /** How many steps it holds. */
  readonly held: number;
}

/** A step that a host holds. */
export interface HeldStep {
  readonly run: string;
  readonly seq: number;
  readonly step: string;
  readonly scope: Scope;
  /** Of what it is a run: "Workflow/nightly". */
  readonly about: string;
  readonly state: "offered" | "running";
  readonly startedAt: string | null;
}

/** What happened to the part with the place `on`. */
export type PartNews = { readonly on: number } & (
  | {
      readonly event: "added" | "modified" | "removed";
      readonly resource: Resource;
      readonly revision?: number;
    }
  | { readonly event: "run"; readonly run: Run }
  | { readonly event: "step"; readonly step: Step }
  | { readonly event: "record"; readonly record: AuditRecord }
  | { readonly event: "agent"; readonly agent: AgentNow }
  | { readonly event: "held"; readonly held: HeldStep }
  /** When it was heard last what is used. */
  | { readonly event: "usage"; readonly at: string }
  | { readonly event: "removed"; readonly key: string }
  /** Everything there was has been told; of a list of resources, up to this revision. */
  | { readonly event: "synced"; readonly revision?: number }
  /** Nothing more comes of this part. */
  | { readonly event: "over"; readonly fault?: CallFault }
);

/** What a stream tells: of its parts, and that the rights of who reads it may have changed. */
export type StreamNews = PartNews | { readonly event: "rights" };

const stallMs = 45_000;

/**
 * Several watches in one connection, as they come, until it ends. Whoever wants to go on connects again, with the revisions
 * that were told as `since`.
 */
export async function* watchMany(
  wire: Wire,
  parts: readonly WatchPart[],
  signal?: AbortSignal,
): AsyncGenerator<readonly StreamNews[], void> {
  const call = { path: "/api/v1/watch", query: { on: JSON.stringify(parts.map(partText)) }, signal };
  for await (const batch of eventStream(wire, call, stallMs)) yield batch.map(readNews);
}

function partText(part: WatchPart): object {
  if ("run" in part || "audit" in part || "agents" in part || "work" in part || "usage" in part) return part;
  if ("runs" in part)
    return { runs: { ...wordsOf(part.runs), ...(part.limit && { limit: String(part.limit) }) } };
  const { kind, scope, since, deep } = part;
  const { labels, fields } = selectionQuery(part);
  return { kind, scope, deep, labels, fields, since };
}

function readNews(event: SseEvent): StreamNews {
  if (event.event === "end") throw endOf(event);
  const { problem, ...data } = parseJson(event.data) as { on?: number; problem?: unknown };
  return {
    event: event.event,
    ...data,
    ...(problem !== undefined && { fault: faultFromProblem(problem) }),
  } as StreamNews;
}
