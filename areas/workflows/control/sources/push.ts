import { type AreaRoute, defineRoute, type RouteRequest, type Tools } from "@reeve/control";
import { isFromGitServer } from "@reeve/git";
import { Fault, type Json } from "@reeve/model";
import { type Address, readResource } from "@reeve/store";
import { z } from "zod";
import { canSync, Source, type SourceSpec, type SourceStatus } from "../../kinds/index.ts";
import { type OpenSecrets, signingSecret } from "../webhooks/signing-secret.ts";

const perMinute = 600;

/** One address for each level at which a Source can live: `/pushes/acme/shop/flows`. */
const places = ["", ":organization/", ":organization/:project/", ":organization/:project/:workspace/"];

export function pushRoutes(tools: Tools, openSecrets: OpenSecrets): AreaRoute[] {
  return places.map((place) =>
    defineRoute({
      method: "POST",
      path: `/pushes/${place}:source`,
      summary: "Tell a Source that its repository was pushed to, by a signed request.",
      demand: "public",
      body: z.json(),
      answer: z.strictObject({}),
      attemptsPerMinute: perMinute,
      async run(request) {
        const { organization, project, workspace, source: name = "" } = request.params;
        const scope = [organization, project, workspace].filter(Boolean).join("/");
        await notePush(tools, openSecrets, { kind: Source.name, scope, name }, request);
        return { body: {} };
      },
    }),
  );
}

/** Whatever was pushed: the Source asks for news at once. Without a valid signature the answer is the same, whether there is such a Source or not. */
async function notePush(
  tools: Tools,
  openSecrets: OpenSecrets,
  at: Address,
  { raw, origin }: Pick<RouteRequest<Json>, "raw" | "origin">,
): Promise<void> {
  const source = await readResource(tools.database, at);
  const secretRef = (source?.spec as unknown as SourceSpec | undefined)?.push?.secret;
  const secret = source && secretRef ? await signingSecret(tools, openSecrets, source, secretRef) : "";
  if (!isFromGitServer(secret, raw) || source === undefined) throw refusal();
  const { uid } = source.metadata;
  await tools.lane.submit({
    author: { caller: undefined, origin, reason: "" },
    needs: [at],
    decide(view) {
      const now = view.get(at);
      if (now?.metadata.uid !== uid) throw refusal();
      const can = canSync(now);
      if (!can.yes) throw new Fault("precondition", can.why);
      // One that nobody has looked at yet will show this push too.
      if ((now.status as SourceStatus).pushedAt !== undefined) return { writes: [], audit: [] };
      const status = { ...now.status, pushedAt: view.now };
      return {
        writes: [{ operation: "update", resource: { ...now, status } }],
        audit: [{ ...at, uid, operation: "push", outcome: "done" }],
      };
    },
  });
}

function refusal(): Fault {
  return new Fault("unauthenticated", "there is no such source, or its signature is missing or wrong", {
    next: "check the address and the secret",
  });
}
