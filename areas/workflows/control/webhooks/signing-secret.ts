import type { Tools } from "@reeve/control";
import { Fault, type JsonObject, type Scope } from "@reeve/model";
import type { Stored } from "@reeve/store";

export type OpenSecrets = (
  tools: Tools,
  scope: Scope,
  value: JsonObject,
) => Promise<{ readonly value: JsonObject }>;

/** What the sender of a webhook signs with; nothing when it cannot be had, and then no signature is right. */
export async function signingSecret(
  tools: Tools,
  openSecrets: OpenSecrets,
  { kind, metadata }: Pick<Stored, "kind" | "metadata">,
  secret: unknown,
): Promise<string> {
  try {
    const { value } = await openSecrets(tools, metadata.scope, { secret } as JsonObject);
    return value.secret as string;
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    tools.log.warn({ kind, uid: metadata.uid, why: error.message }, "a webhook has no secret");
    return "";
  }
}
