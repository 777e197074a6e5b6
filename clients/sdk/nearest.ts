import { Fault, type Kind, type ResourceOf, type Scope, selfAndAncestors } from "@reeve/model";
import type { Client } from "./connect.ts";

/** The resource of this scope, or else of the nearest above: the host whose agent does the steps of this scope too, for example. */
export async function nearest<K extends Kind>(
  client: Client,
  kind: K,
  { scope, name }: { readonly scope: Scope; readonly name: string },
): Promise<ResourceOf<K>> {
  let first: unknown;
  for (const one of selfAndAncestors(scope)) {
    try {
      return await client.kind(kind).get(one, name);
    } catch (error) {
      if (!(error instanceof Fault) || (error.kind !== "not_found" && error.kind !== "forbidden"))
        throw error;
      first ??= error;
    }
  }
  throw first;
}
