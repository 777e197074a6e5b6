import { isFromGitServer } from "@reeve/git";
import { Fault, type Json, type Kind, type Level, type Resource, type Verdict } from "@reeve/model";
import { type Address, readResource } from "@reeve/store";
import { z } from "zod";
import type { Tools } from "../controller.ts";
import { type AreaRoute, defineRoute, type RouteRequest } from "../route.ts";
import { type OpenSecrets, signingSecret } from "./signing-secret.ts";

/** A kind that follows a Git repository: its spec has `push.secret`, and its status `pushedAt` until somebody has looked. */
export interface Following {
  readonly kind: Pick<Kind, "name" | "levels">;
  /** Before the scope and the name: `/pushes`. */
  readonly path: string;
  /** Whether it could ask for news now. */
  readonly can: (resource: Pick<Resource, "kind" | "metadata">) => Verdict;
  readonly openSecrets: OpenSecrets;
}

const perMinute = 600;

const places: Readonly<Record<Level, string>> = {
  installation: "",
  organization: ":organization/",
  project: ":organization/:project/",
  workspace: ":organization/:project/:workspace/",
};

/** One address for each level at which such a resource can live: `/pushes/acme/shop/flows`. */
export function pushRoutes(tools: Tools, following: Following): AreaRoute[] {
  const { kind, path } = following;
  return kind.levels.map((level) =>
    defineRoute({
      method: "POST",
      path: `${path}/${places[level]}:${kind.name.toLowerCase()}`,
      summary: `Tell a ${kind.name} that its repository was pushed to, by a signed request.`,
      demand: "public",
      body: z.json(),
      answer: z.strictObject({}),
      attemptsPerMinute: perMinute,
      async run(request) {
        const { organization, project, workspace, [kind.name.toLowerCase()]: name = "" } = request.params;
        // Not checked: what is no scope holds nothing that follows, and the answer to that is always the same.
        const scope = [organization, project, workspace].filter(Boolean).join("/");
        await notePush(tools, following, { kind: kind.name, scope, name }, request);
        return { body: {} };
      },
    }),
  );
}

/** Whatever was pushed: it asks for news at once. Without a valid signature the answer is the same, whether there is such a one or not. */
async function notePush(
  tools: Tools,
  { can, openSecrets }: Following,
  at: Address,
  { raw, origin }: Pick<RouteRequest<Json>, "raw" | "origin">,
): Promise<void> {
  const found = await readResource(tools.database, at);
  const { secret: reference } = (found?.spec.push ?? {}) as { secret?: unknown };
  const secret = found && reference ? await signingSecret(tools, openSecrets, found, reference) : "";
  if (!isFromGitServer(secret, raw) || found === undefined) throw refusal(at.kind);
  const { uid } = found.metadata;
  await tools.lane.submit({
    author: { caller: undefined, origin, reason: "" },
    needs: [at],
    decide(view) {
      const now = view.get(at);
      if (now?.metadata.uid !== uid) throw refusal(at.kind);
      const verdict = can(now);
      if (!verdict.yes) throw new Fault("precondition", verdict.why);
      // One that nobody has looked at yet will show this push too.
      if (now.status.pushedAt !== undefined) return { writes: [], audit: [] };
      const status = { ...now.status, pushedAt: view.now };
      return {
        writes: [{ operation: "update", resource: { ...now, status } }],
        audit: [{ ...at, uid, operation: "push", outcome: "done" }],
      };
    },
  });
}

function refusal(kind: string): Fault {
  const what = `there is no such ${kind.toLowerCase()}, or its signature is missing or wrong`;
  return new Fault("unauthenticated", what, { next: "check the address and the secret" });
}
