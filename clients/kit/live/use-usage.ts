import type { Scope } from "@reeve/model";
import type { KindRef } from "@reeve/sdk";
import { gatherUsage } from "./gather.ts";
import type { Shown } from "./watched.ts";
import { useWatched } from "./window-stream.ts";

/** When it was heard last what a host or a service uses: from then on there is something new to read. */
export function useUsedAt({ name: kind }: KindRef, scope: Scope, name: string): Shown<string | undefined> {
  return useWatched(`usage ${kind} ${scope} ${name}`, () => gatherUsage({ kind, scope, name }));
}
