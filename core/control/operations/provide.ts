import { Fault } from "@reeve/model";
import type { Context } from "../context.ts";
import { systemAsking } from "../system.ts";
import { apply } from "./apply.ts";

/** Makes a resource in the system's name, unless one of its name is there: checked and audited like anybody's. */
export async function provide(
  context: Context,
  manifest: { kind: string; metadata: object; spec: object },
  reason: string,
): Promise<void> {
  const asking = { ...systemAsking(context, reason), ifNoneMatch: true };
  try {
    await apply(context, asking, { apiVersion: "reeve/v1", ...manifest }, "make");
  } catch (error) {
    if (!(error instanceof Fault && error.kind === "exists")) throw error;
  }
}
