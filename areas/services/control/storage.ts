import { type AreaRoute, type Context, defineRoute, readFor, record } from "@reeve/control";
import { Fault } from "@reeve/model";
import { z } from "zod";
import type { Pruned } from "../kinds/index.ts";
import { addressOf, hostPaths } from "./addresses.ts";
import { askHost } from "./live/ask-host.ts";

const kind = z.enum(["image", "volume", "network"]);
const item = z.strictObject({
  kind,
  id: z.string(),
  name: z.string(),
  bytes: z.number(),
  createdAt: z.string().optional(),
  usedBy: z.array(z.string()).describe("containers, also such that do not run"),
  goes: z
    .enum(["prune", "all", "named", "no"])
    .describe("whether pruning takes it: always, with what is not Reeve's, only by its name, or never"),
  why: z.string(),
});
const pruned = z.strictObject({
  removed: z.array(z.strictObject({ kind, name: z.string(), bytes: z.number() })),
  left: z
    .array(z.strictObject({ kind, name: z.string(), why: z.string() }))
    .describe("what was asked for and is still there"),
});
const most = 1000;
/** Volumes are measured by walking them. */
const withinMs = 300_000;

/** Images, volumes and networks of a host. What is removed is exactly what was asked for, and only if nobody uses it by then. */
export function storageRoutes(context: Context): AreaRoute[] {
  return hostPaths.flatMap((path) => [
    defineRoute({
      method: "GET",
      path: `${path}/storage`,
      tag: "Services",
      summary: "The images, volumes and networks of a host, who uses them, and what pruning would remove",
      description: "For whoever may read the host. Asked of its agent, so it has to be connected.",
      demand: "operation",
      answer: z.strictObject({ items: z.array(item) }),
      async run({ params, ...request }) {
        const host = await readFor(context, request, addressOf(params, "Host"), "read");
        const items = await askHost(context, host.metadata.uid, "service-storage", {}, withinMs);
        return { body: { items } as never };
      },
    }),
    defineRoute({
      method: "POST",
      path: `${path}/prune`,
      tag: "Services",
      summary: "Remove images, volumes and networks of a host",
      description:
        "For whoever may update the host. Removes the things that are listed and no others; what has come into use since, or is needed by a service, is left.",
      demand: "operation",
      body: z.strictObject({
        items: z
          .array(z.strictObject({ kind, id: z.string().min(1).max(500) }))
          .min(1)
          .max(most),
      }),
      answer: pruned,
      async run({ params, body: { items }, ...request }) {
        const at = addressOf(params, "Host");
        const { uid } = (await readFor(context, request, at, "update")).metadata;
        const deed = { ...at, uid };
        await record(context, request, { ...deed, operation: "prune", detail: { items } }, nothingMore);
        const { idempotency: _, ...told } = request;
        const end = (detail: Pruned | { failed: string }) =>
          record(context, told, { ...deed, operation: "prune-end", detail: { ...detail } }, nothingMore);
        const asking = askHost(context, uid, "service-storage", { remove: items }, withinMs);
        const done = (await asking.catch(async (error: unknown) => {
          // Some of it may be gone already: a record without an end would not tell.
          await end({ failed: error instanceof Fault ? error.message : "its agent's answer makes no sense" });
          throw error;
        })) as Pruned;
        await end(done);
        return { body: done as never };
      },
    }),
  ]);
}

const nothingMore = async () => {};
