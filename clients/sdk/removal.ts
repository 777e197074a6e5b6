import { isObject } from "@reeve/model";
import type { Answer } from "./wire.ts";

/** What keeps a resource from going. */
export interface Hold {
  readonly finalizer?: string;
  readonly kind?: string;
  readonly count?: number;
  readonly why?: string;
}

/** How a deletion stands: gone, or waiting for what holds it. */
export interface Removal<R> {
  readonly gone: boolean;
  readonly resource?: R;
  readonly holds: readonly Hold[];
  /** What a forced end may have left in the world, unmade. */
  readonly leftBehind: readonly string[];
}

/** 200 is the last state of what has gone; 202 is what still waits, with its holds where the server tells them. */
export function readRemoval<R>({ status, body, header }: Answer): Removal<R> {
  const told = isObject(body) ? body : {};
  const resource = isObject(told.resource) ? told.resource : isObject(told.metadata) ? told : undefined;
  const holds = Array.isArray(told.holds) ? (told.holds as unknown as Hold[]) : [];
  return {
    gone: status !== 202,
    holds,
    leftBehind: (header("reeve-left-behind") ?? "").split(", ").filter((part) => part !== ""),
    ...(resource === undefined ? {} : { resource: resource as unknown as R }),
  };
}
