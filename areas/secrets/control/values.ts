import type { Tools } from "@reeve/control";
import { Fault } from "@reeve/model";
import type { Sealed, Stored } from "@reeve/store";
import { readVersion } from "../store/index.ts";

export type Values = Readonly<Record<string, string>>;

/** Seals the values of a version: one data key for each, bound to the secret and its version. */
export function sealVersion(
  { keys }: Pick<Tools, "keys">,
  { metadata }: Stored,
  version: number,
  values: Values,
): Promise<Sealed> {
  return keys.seal(metadata.scope, about(metadata.uid, version), Buffer.from(JSON.stringify(values)));
}

export async function openVersion(
  { database, keys }: Pick<Tools, "database" | "keys">,
  { metadata }: Stored,
  version: number,
): Promise<Values> {
  const sealed = await readVersion(database, metadata.uid, version);
  if (sealed === undefined)
    throw new Fault("precondition", `version ${version} is not kept`, {
      next: "`reeve secret versions` lists those that are",
    });
  return JSON.parse(Buffer.from(await keys.open(about(metadata.uid, version), sealed)).toString()) as Values;
}

function about(uid: string, version: number): string {
  return `secret/${uid}/${version}`;
}
