import { type Keyring, nextRoot, proofOf } from "@reeve/keys";
import { Fault, isName, nameRule } from "@reeve/model";
import {
  deleteRootKey,
  deleteScopeKeys,
  type KeyState,
  listKeys,
  listReplicas,
  moveRoot,
  retireScopeKeys,
  type SealedColumn,
} from "@reeve/store";
import { z } from "zod";
import type { Tools } from "../controller.ts";
import { record } from "../operations/record.ts";
import { type AreaRoute, defineRoute } from "../route.ts";

const demand = { permission: "installation:keys" } as const;
/** Whoever finds a session open must not be able to replace or forget keys. */
const freshly = { ...demand, fresh: true } as const;

/** A request that sealed under a key just before it was retired has stored its value, or given up, long before this. */
const graceMinutes = 10;

const key = z.object({
  id: z.string(),
  level: z.enum(["root", "scope"]),
  organization: z.string().nullable().describe("whose values a scope key closes; '' is the installation"),
  state: z.enum(["current", "retired"]),
  since: z.string(),
  holds: z.number().describe("how many scope keys a root key closes, or how many values a scope key"),
});

const rotation = z.discriminatedUnion("level", [
  z.strictObject({ level: z.literal("root") }),
  z.strictObject({
    level: z.literal("scope"),
    organization: z
      .string()
      .refine((text) => text === "" || isName(text), { error: `not an organization: ${nameRule}` })
      .optional()
      .describe("this one's only; '' is the installation"),
  }),
]);

/** The keys that close everything sealed: what there is, replacing them, and forgetting old ones. */
export function keyRoutes(tools: Tools, keys: Keyring, columns: readonly SealedColumn[]): AreaRoute[] {
  return [
    defineRoute({
      method: "GET",
      path: "/keys",
      summary: "The keys that close what is sealed, and how much each still closes",
      demand,
      answer: z.object({ items: z.array(key) }),
      run: async () => ({ body: { items: await listKeys(tools.database, columns) } }),
    }),
    defineRoute({
      method: "POST",
      path: "/keys/rotate",
      summary: "Replace the root key, or scope keys; what they close follows in the background",
      demand: freshly,
      body: rotation,
      answer: z.object({ retired: z.array(z.string()) }),
      async run({ body, caller, origin }) {
        const asking = { caller, origin };
        if (body.level === "root") {
          const from = (await keys.roots.current()).id;
          if ((await listKeys(tools.database, [])).some(unfinishedRoot))
            throw new Fault("conflict", "the last rotation of the root key is not finished", {
              next: "wait until `reeve key list` shows that its old key holds nothing",
            });
          const replicas = (await listReplicas(tools.database)).filter((replica) => replica.live);
          const to = await nextRoot(keys.roots, replicas.length);
          const row = { id: to.id, proof: await proofOf(to) };
          await record(tools, asking, { ...ofKey(to.id, "rotate"), detail: { from } }, async (sql) => {
            if (!(await moveRoot(sql, from, row)))
              throw new Fault("conflict", "somebody else has rotated the root key just now");
          });
          return { body: { retired: [from] } };
        }
        let retired: string[] = [];
        const detail = { organization: body.organization ?? "all" };
        await record(tools, asking, { ...ofKey("scope", "rotate"), detail }, async (sql) => {
          retired = await retireScopeKeys(sql, body.organization);
        });
        return { body: { retired } };
      },
    }),
    defineRoute({
      method: "DELETE",
      path: "/keys/:id",
      summary: "Forget a retired key that closes nothing any more",
      demand: freshly,
      answer: z.object({ deleted: z.string() }),
      async run({ params: { id = "" }, caller, origin }) {
        const found = (await listKeys(tools.database, columns)).find((one) => one.id === id);
        if (found === undefined)
          throw new Fault("not_found", `there is no key ${id.slice(0, 100)}`, {
            next: "`reeve key list` shows them",
          });
        await record(tools, { caller, origin }, ofKey(id, "delete"), async (sql) => {
          const given = { retiredMinutes: graceMinutes, limit: 1, id };
          const gone =
            found.level === "root"
              ? await deleteRootKey(sql, id)
              : (await deleteScopeKeys(sql, columns, given)) > 0;
          if (!gone) throw stillNeeded(found);
        });
        return { body: { deleted: id } };
      },
    }),
  ];
}

function unfinishedRoot(key: KeyState): boolean {
  return key.level === "root" && key.state === "retired" && key.holds > 0;
}

function stillNeeded({ id, level, state, holds }: KeyState): Fault {
  if (state === "current")
    return new Fault("conflict", `${id} is the current key`, {
      next: `\`reeve key rotate ${level}\` replaces it`,
    });
  if (holds > 0)
    return new Fault(
      "conflict",
      `${id} still closes ${holds} ${level === "root" ? "scope keys" : "values"}`,
      {
        next: "they are renewed in the background; `reeve key list` shows how many are left",
      },
    );
  return new Fault("conflict", `${id} was in use a moment ago`, {
    next: `try again ${graceMinutes} minutes after it was retired`,
  });
}

function ofKey(name: string, operation: string) {
  return { kind: "Key", scope: "", name, operation };
}
