import { type AreaRoute, defineRoute, type OpenSecrets, type Tools } from "@reeve/control";
import { z } from "zod";
import { receive } from "./receive.ts";

const perMinute = 600;

/** One address for each level at which a workflow can live: `/hooks/acme/shop/deploy/push`. */
const places = ["", ":organization/", ":organization/:project/", ":organization/:project/:workspace/"];

export function webhookRoutes(tools: Tools, openSecrets: OpenSecrets): AreaRoute[] {
  return places.map((place) =>
    defineRoute({
      method: "POST",
      path: `/hooks/${place}:workflow/:hook`,
      summary: "Begin a run by a signed request.",
      demand: "public",
      body: z.json(),
      answer: z.strictObject({
        run: z.string().nullable().describe("Null when the webhook's condition let the request pass."),
      }),
      attemptsPerMinute: perMinute,
      async run(request) {
        const { organization, project, workspace, workflow: name = "", hook = "" } = request.params;
        // Not checked: what is no scope holds no webhook, and the answer to that is always the same.
        const scope = [organization, project, workspace].filter(Boolean).join("/");
        return {
          body: { run: await receive(tools, openSecrets, { kind: "Workflow", scope, name, hook }, request) },
        };
      },
    }),
  );
}
