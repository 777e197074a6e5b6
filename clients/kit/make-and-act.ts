import type { JsonObject, Scope } from "@reeve/model";
import type { KindRef } from "@reeve/sdk";
import { client } from "./client.ts";

interface Made {
  readonly metadata: { readonly scope: Scope; readonly name: string };
  readonly spec: object;
}

/** Makes a resource that is of no use without an action on it. If that is refused it goes again, or it would take the name. */
export async function makeAndAct<Output>(
  kind: KindRef,
  resource: Made,
  action: string,
  input: JsonObject = {},
): Promise<Output> {
  const { scope, name } = resource.metadata;
  const things = client.kind(kind);
  await things.create(resource);
  try {
    return await things.act<Output>(scope, name, action, input);
  } catch (error) {
    await things.delete(scope, name).catch(() => undefined);
    throw error;
  }
}
