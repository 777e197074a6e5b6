import { Fault, type JsonObject, type Scope } from "@reeve/model";
import type { Stored } from "@reeve/store";
import type { Tools } from "../controller.ts";

/** Gives the values that references stand for; they must reach no row, log or answer. */
export type OpenSecrets = (
  tools: Tools,
  scope: Scope,
  value: JsonObject,
) => Promise<{ readonly value: JsonObject }>;

/** What a sender outside signs with; nothing when it cannot be had, and then no signature is right. */
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
    tools.log.warn({ kind, uid: metadata.uid, why: error.message }, "what signs for it cannot be had");
    return "";
  }
}
