import type { Resource, Scope } from "@reeve/model";
import type { CallFault, KindRef, Selection } from "@reeve/sdk";
import { useEffect, useState } from "react";
import { asFault, client } from "../client.ts";
import { gatherList } from "./gather.ts";
import type { Shown } from "./watched.ts";
import { useWatched } from "./window-stream.ts";

export interface LiveList<R> extends Omit<Shown<unknown>, "value"> {
  readonly rows: readonly R[];
}

/** The resources of a kind at a scope and below it, as they are now. */
export function useList<R extends Resource = Resource>(
  kind: Pick<KindRef, "name">,
  scope: Scope,
  { labels, fields, deep = true }: Selection = {},
): LiveList<R> {
  const part = { kind: kind.name, scope, labels, fields, deep };
  const { value, ...rest } = useWatched(JSON.stringify(part), () => gatherList(part as never));
  return { rows: value as readonly R[], ...rest };
}

export interface LiveResource<R> extends Omit<Shown<unknown>, "value"> {
  /** The last one that was there; gone when `fault` says so. */
  readonly resource: R | undefined;
}

/** One resource as it is now. What is not there, or may not be seen, is a fault. */
export function useResource<R extends Resource = Resource>(
  kind: KindRef,
  scope: Scope,
  name: string,
): LiveResource<R> {
  const { rows, ...shown } = useList<R>(kind, scope, { fields: { "metadata.name": name }, deep: false });
  const missing = shown.state === "live" && rows.length === 0;
  const [fault, setFault] = useState<CallFault>();
  const { name: kindName, plural } = kind;
  useEffect(() => {
    setFault(undefined);
    if (!missing) return;
    let over = false;
    // The server's own words for it.
    client
      .kind({ name: kindName, plural })
      .get(scope, name)
      .catch((error: unknown) => !over && setFault(asFault(error)));
    return () => {
      over = true;
    };
  }, [missing, kindName, plural, scope, name]);
  if (!missing) return { resource: rows[0], ...shown };
  return fault === undefined
    ? { resource: undefined, state: "loading" }
    : { resource: undefined, state: "fault", fault };
}
