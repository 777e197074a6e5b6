import type { OpenSecrets, Tools } from "@reeve/control";
import type { GitAccess, RemoteRef } from "@reeve/git";
import { Fault, type JsonObject, type Scope, selfAndAncestors } from "@reeve/model";
import { gitOfConnection } from "@reeve/secrets/kinds";
import { readResource, type Sql, type Stored } from "@reeve/store";
import type { RepositorySpec } from "../../kinds/index.ts";

export type Opened = GitAccess & RemoteRef;

/** Where a repository is, with what opens it. */
export async function openRepository(
  tools: Tools,
  openSecrets: OpenSecrets,
  { metadata, spec }: Pick<Stored, "metadata" | "spec">,
): Promise<Opened> {
  const { connection: name, path: _, ...given } = (spec as unknown as RepositorySpec).git;
  const { scope } = metadata;
  const connection =
    name === undefined ? undefined : await nearest(tools.database, "Connection", scope, name);
  const referred = name === undefined ? {} : connection && gitOfConnection(name, connection.spec);
  if (referred === undefined)
    throw new Fault("precondition", `there is no Connection ${name} of the type git here or above`, {
      next: "make the Connection",
    });
  const { value } = await openSecrets(tools, scope, { ...given, ...referred } as JsonObject);
  return value as unknown as Opened;
}

/** The resource of that name in the scope or the nearest one above it. */
export async function nearest(
  sql: Sql,
  kind: string,
  scope: Scope,
  name: string,
): Promise<Stored | undefined> {
  for (const one of selfAndAncestors(scope)) {
    const found = await readResource(sql, { kind, scope: one, name });
    if (found !== undefined) return found;
  }
  return undefined;
}
