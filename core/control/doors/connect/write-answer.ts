import { fromJson, type JsonObject, type JsonValue } from "@bufbuild/protobuf";
import { type Timestamp, timestampFromDate, type Value, ValueSchema } from "@bufbuild/protobuf/wkt";
import { Outcome, WatchResponse_Type } from "@reeve/protocol";
import type { Written } from "@reeve/store";
import type { WatchType } from "../../watch/view.ts";

const outcomes = {
  created: Outcome.CREATED,
  updated: Outcome.UPDATED,
  unchanged: Outcome.UNCHANGED,
  deleted: Outcome.DELETED,
} as const satisfies Record<Written["outcome"], Outcome>;

export const watchTypes = {
  added: WatchResponse_Type.ADDED,
  modified: WatchResponse_Type.MODIFIED,
  removed: WatchResponse_Type.REMOVED,
} as const satisfies Record<WatchType, WatchResponse_Type>;

export function outcomeOf(outcome: Written["outcome"]): Outcome {
  return outcomes[outcome];
}

/** A resource, or another object of JSON, as it travels. Numbers stay doubles, as in REST; revisions are below 2^53. */
export function struct(object: object): JsonObject;
export function struct(object: object | undefined): JsonObject | undefined;
export function struct(object: object | undefined): JsonObject | undefined {
  return object as JsonObject | undefined;
}

export function written({ outcome, resource }: Written): {
  outcome: Outcome;
  resource: JsonObject | undefined;
} {
  return { outcome: outcomeOf(outcome), resource: struct(resource) };
}

export function value(json: unknown): Value | undefined {
  return json === undefined ? undefined : fromJson(ValueSchema, json as JsonValue);
}

export function time(at: string): Timestamp;
export function time(at: string | null): Timestamp | undefined;
export function time(at: string | null): Timestamp | undefined {
  return at === null ? undefined : timestampFromDate(new Date(at));
}
