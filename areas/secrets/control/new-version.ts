import type { Tools } from "@reeve/control";
import { Fault } from "@reeve/model";
import type { Sealed, Sql, Stored } from "@reeve/store";
import { type SecretVersion, versionsKept } from "../kinds/index.ts";
import { readVersion, writeVersion } from "../store/index.ts";
import { sealVersion, type Values } from "./values.ts";

/** A version of its own for these values: what is to be written for it, whoever asked. */
export async function newVersion(
  tools: Pick<Tools, "database" | "keys">,
  seen: Stored,
  values: Values,
  { by, ...how }: { by: string; set?: string[]; from?: number },
) {
  const before = newestOf(seen);
  const version = before + 1;
  const keys = Object.keys(values).sort();
  const sealed = await sealVersion(tools, seen, version, values);
  const outgoing = await readVersion(tools.database, seen.metadata.uid, version - versionsKept);
  const { from } = how;
  const info: SecretVersion = {
    version,
    at: new Date().toISOString(),
    by,
    keys,
    ...(from === undefined ? {} : { from }),
  };
  return {
    change(resource: Stored): Stored {
      if (newestOf(resource) !== before)
        throw new Fault("conflict", "somebody else has set values at the same moment", { next: "try again" });
      const earlier = (resource.status.versions ?? []) as readonly SecretVersion[];
      const versions = [info, ...earlier].slice(0, versionsKept);
      return { ...resource, status: { ...resource.status, version, keys, versions } };
    },
    keeps: sizeOf(sealed) - (outgoing === undefined ? 0 : sizeOf(outgoing)),
    also: (sql: Sql) => writeVersion(sql, seen.metadata.uid, version, sealed, versionsKept),
    detail: { version, keys, ...how },
    events: [
      {
        tone: "normal" as const,
        reason: from === undefined ? "ValuesSet" : "RolledBack",
        message: from === undefined ? "new values were set" : `the values of version ${from} are used again`,
      },
    ],
    output: () => ({ version, keys }),
  };
}

/** What a version takes, as it is kept: sealed. */
function sizeOf(sealed: Sealed): number {
  return Buffer.byteLength(JSON.stringify(sealed));
}

export function newestOf({ status }: Stored): number {
  return (status.version as number | undefined) ?? 0;
}
