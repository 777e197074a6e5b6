import { randomInt } from "node:crypto";
import { type LookAt, systemAuthor } from "@reeve/control";
import type { Outcome } from "@reeve/model";
import type { SecretSpec } from "../kinds/index.ts";
import { newestOf, newVersion } from "./new-version.ts";
import { openVersion } from "./values.ts";

/** As strong as a key of 190 bits, and of nothing that a shell, a URL or a file of settings would read otherwise. */
const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const lettersInValue = 32;

/** Keys that are to be generated get a value once, unless somebody has set one. */
export async function generate({ resource, tools }: LookAt): Promise<Outcome> {
  const { kind, metadata, status } = resource;
  const { uid, scope, name } = metadata;
  const set = (status.keys ?? []) as readonly string[];
  const missing = Object.entries((resource.spec as SecretSpec).keys ?? {})
    .filter(([key, about]) => about.generate && !set.includes(key))
    .map(([key]) => key);
  if (missing.length === 0) return { kind: "done", why: "no value is to be generated" };
  const version = newestOf(resource);
  const kept = version === 0 ? {} : await openVersion(tools, resource, version);
  const made = Object.fromEntries(missing.map((key) => [key, byChance()]));
  const author = systemAuthor("its spec asks for generated values");
  const plan = await newVersion(tools, resource, { ...kept, ...made }, { by: "system", set: missing });
  const at = { kind, scope, name };
  await tools.lane.submit({
    author,
    needs: [at],
    decide(view) {
      const now = view.get(at);
      if (now?.metadata.uid !== uid || now.metadata.deletingAt !== undefined)
        return { writes: [], audit: [] };
      return {
        writes: [{ operation: "update", resource: plan.change(now), keeps: plan.keeps }],
        audit: [{ ...at, uid, operation: "generate", outcome: "done", detail: plan.detail }],
        events: plan.events.map((event) => ({ ...event, uid })),
        also: plan.also,
      };
    },
  });
  return { kind: "done", why: `generated ${missing.join(", ")}` };
}

function byChance(): string {
  return Array.from({ length: lettersInValue }, () => letters[randomInt(letters.length)]).join("");
}
