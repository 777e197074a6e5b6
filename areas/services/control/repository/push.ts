import { type AreaRoute, defineRoute, type RouteRequest, type Tools } from "@reeve/control";
import { isFromGitServer } from "@reeve/git";
import { Fault, type Json, type JsonObject } from "@reeve/model";
import { type Address, readResource, type Stored } from "@reeve/store";
import { z } from "zod";
import { canFetch, Repository, type RepositorySpec, type RepositoryStatus } from "../../kinds/index.ts";
import type { OpenSecrets } from "./access.ts";

const perMinute = 600;

/** One address for each level at which a Repository can live: `/repository-pushes/acme/shop/apps`. */
const places = [":organization/", ":organization/:project/", ":organization/:project/:workspace/"];

export function pushRoutes(tools: Tools, openSecrets: OpenSecrets): AreaRoute[] {
  return places.map((place) =>
    defineRoute({
      method: "POST",
      path: `/repository-pushes/${place}:repository`,
      summary: "Tell a Repository that it was pushed to, by a signed request.",
      demand: "public",
      body: z.json(),
      answer: z.strictObject({}),
      attemptsPerMinute: perMinute,
      async run(request) {
        const { organization, project, workspace, repository: name = "" } = request.params;
        const scope = [organization, project, workspace].filter(Boolean).join("/");
        await notePush(tools, openSecrets, { kind: Repository.name, scope, name }, request);
        return { body: {} };
      },
    }),
  );
}

/** Without a valid signature the answer is the same, whether there is such a Repository or not. */
async function notePush(
  tools: Tools,
  openSecrets: OpenSecrets,
  at: Address,
  { raw, origin }: Pick<RouteRequest<Json>, "raw" | "origin">,
): Promise<void> {
  const repository = await readResource(tools.database, at);
  const secret = repository === undefined ? "" : await secretOf(tools, openSecrets, repository);
  if (!isFromGitServer(secret, raw) || repository === undefined) throw refusal();
  await tools.lane.submit({
    author: { caller: undefined, origin, reason: "" },
    needs: [at],
    decide(view) {
      const now = view.get(at);
      if (now === undefined || now.metadata.uid !== repository.metadata.uid) throw refusal();
      const can = canFetch(now);
      if (!can.yes) throw new Fault("precondition", can.why);
      // One that nobody has looked at yet will bring this push too.
      if ((now.status as RepositoryStatus).pushedAt !== undefined) return { writes: [], audit: [] };
      return {
        writes: [
          { operation: "update", resource: { ...now, status: { ...now.status, pushedAt: view.now } } },
        ],
        audit: [{ ...at, uid: now.metadata.uid, operation: "push", outcome: "done" }],
      };
    },
  });
}

/** What the Git server signs with; nothing when it cannot be had, and then no signature is right. */
async function secretOf(tools: Tools, openSecrets: OpenSecrets, { metadata, spec }: Stored): Promise<string> {
  const { push } = spec as unknown as RepositorySpec;
  if (push === undefined) return "";
  try {
    const { value } = await openSecrets(tools, metadata.scope, { secret: push.secret } as JsonObject);
    return value.secret as string;
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    tools.log.warn({ uid: metadata.uid, why: error.message }, "a repository has no secret for pushes");
    return "";
  }
}

function refusal(): Fault {
  return new Fault("unauthenticated", "there is no such repository, or its signature is missing or wrong", {
    next: "check the address and the secret",
  });
}
