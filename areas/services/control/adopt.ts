import { type AreaRoute, type Context, defineRoute, readFor } from "@reeve/control";
import { z } from "zod";
import { composeErrors } from "../kinds/compose-file.ts";
import type { FoundFiles, FoundProject } from "../kinds/index.ts";
import { addressOf, hostPaths } from "./addresses.ts";
import { askHost } from "./live/ask-host.ts";

const found = z.strictObject({
  project: z.string(),
  folder: z.string().describe("where it was brought up"),
  containers: z.array(z.strictObject({ name: z.string(), image: z.string(), state: z.string() })),
});
const foundFiles = found.extend({
  compose: z.array(z.string()).describe("its Compose files, in order"),
  files: z.record(z.string(), z.string()),
  variables: z.array(z.string()).describe("the names in the file .env beside them; values stay on the host"),
  clear: z.array(z.string()).describe("where something in the files looks like a secret"),
  changes: z
    .array(
      z.strictObject({
        container: z.string(),
        service: z.string(),
        does: z.enum(["stays", "starts", "anew", "begins", "goes"]),
      }),
    )
    .describe("what a deploy would do with each container"),
  troubles: z.array(z.string()).describe("why it cannot be a service as it is"),
});

/** What runs on a host without being a service: shown to whoever may see the host, and its files to whoever may change it. */
export function adoptRoutes(context: Context): AreaRoute[] {
  return hostPaths.flatMap((path) => [
    defineRoute({
      method: "GET",
      path: `${path}/compose-projects`,
      tag: "Services",
      summary: "The Compose projects of a host that no service keeps",
      description: "For whoever may read the host. Asked of its agent, so it has to be connected.",
      demand: "operation",
      answer: z.strictObject({ items: z.array(found) }),
      async run({ params, ...request }) {
        const host = await readFor(context, request, addressOf(params, "Host"), "read");
        const items = (await askHost(context, host.metadata.uid, "service-projects", {})) as FoundProject[];
        return { body: { items } as never };
      },
    }),
    defineRoute({
      method: "GET",
      path: `${path}/compose-projects/:compose`,
      tag: "Services",
      summary: "The files of a Compose project that no service keeps, and what adopting it would change",
      description: "For whoever may update the host, because files of the host are read.",
      demand: "operation",
      answer: foundFiles,
      async run({ params: { compose: project = "", ...params }, ...request }) {
        const host = await readFor(context, request, addressOf(params, "Host"), "update");
        const answer = await askHost(context, host.metadata.uid, "service-projects", { project });
        const told = answer as FoundFiles;
        const troubles = composeErrors({ ...told, compose: [...told.compose] }).map(({ message }) => message);
        return { body: { ...told, troubles } as never };
      },
    }),
  ]);
}
