import { Fault, type JsonObject, newUid, type RunGraph, selfAndAncestors } from "@reeve/model";
import type { RunDraft } from "@reeve/runs";
import { gitOfConnection } from "@reeve/secrets/kinds";
import { readResource, type Sql, type Stored } from "@reeve/store";
import type { SourceSpec } from "../../kinds/index.ts";

const attemptMs = 3 * 60_000;
const overallMs = 10 * 60_000;

/** The run in which an agent of the house fetches. Without `known` all files come, also when nothing is new. */
export async function draftFetch(
  sql: Sql,
  { metadata, spec }: Stored,
  { by, cause, known }: Pick<RunDraft, "by" | "cause"> & { readonly known?: string | undefined },
): Promise<RunDraft> {
  const { scope, name, uid, generation } = metadata;
  const given = await repositoryOf(sql, scope, (spec as unknown as SourceSpec).git);
  const graph: RunGraph = {
    steps: [
      {
        name: "fetch",
        needs: [],
        rule: "all-succeeded",
        body: {
          does: "execute",
          executor: "git-fetch",
          with: { ...given, ...(known === undefined ? {} : { known }) },
        },
        timeouts: { finishMs: attemptMs },
        selector: "reeve/home",
      },
    ],
    // A newer one knows more, so the one before has nothing left to tell.
    limit: { key: `source ${uid}`, most: 1, over: "cancel" },
    timeoutMs: overallMs,
  };
  return {
    id: newUid(),
    scope,
    about: { kind: "Source", name, uid, generation },
    graph,
    inputs: {},
    cause,
    by,
  };
}

/** Values of secrets stay references here: they are filled in for the agent alone. */
async function repositoryOf(sql: Sql, scope: string, git: SourceSpec["git"]): Promise<JsonObject> {
  const { connection: name, ...given } = git;
  if (name === undefined) return given as JsonObject;
  let connection: Stored | undefined;
  for (const one of selfAndAncestors(scope))
    connection ??= await readResource(sql, { kind: "Connection", scope: one, name });
  const referred = connection && gitOfConnection(name, connection.spec);
  if (referred === undefined)
    throw new Fault("precondition", `there is no Connection ${name} of the type git here or above`, {
      next: "make the Connection",
    });
  return { ...given, ...referred } as JsonObject;
}
