import type { Change, Resource } from "@reeve/model";
import type { Client, Difference, Draft } from "@reeve/sdk";
import { defineVerb, texts } from "@reeve/sdk/cli";
import type { CliDesk } from "../desk.ts";
import { exitCodeOf, exitCodes } from "../exit-codes.ts";
import { faultLines } from "../fault-report.ts";
import { loadManifests } from "../manifests/load.ts";
import { awaitsItsScope } from "../manifests/opened-scopes.ts";
import type { PlacedManifest } from "../manifests/place-manifests.ts";
import { changeLines } from "../output/changes.ts";
import { nameOf } from "../output/name-of.ts";
import { paintOut } from "../output/paint.ts";

/** Enough to hide the way to the server, few enough not to be a burden to it. */
const atOnce = 8;

export const diff = defineVerb<CliDesk>()({
  name: "diff",
  group: "change",
  summary: "Show what apply would change; exit 1 if anything",
  options: {
    file: texts("FILE", "A file, a folder with everything below, or - for stdin", {
      short: "f",
      completes: "file",
    }),
  },
  example: "reeve diff -f team/",
  async run(desk, { options }) {
    const manifests = await loadManifests(desk, options.file);
    const client = await desk.client();
    const results: { one: PlacedManifest; difference?: Difference<Resource>; error?: unknown }[] = [];
    for (let at = 0; at < manifests.length; at += atOnce) {
      desk.progress(`comparing ${at + 1} of ${manifests.length}`);
      const some = manifests.slice(at, at + atOnce).map(async (one) => {
        try {
          return { one, difference: await compare(client, desk, one) };
        } catch (error) {
          if (awaitsItsScope(one, manifests, error)) return { one, difference: creation };
          return { one, error };
        }
      });
      results.push(...(await Promise.all(some)));
    }
    desk.progress("");
    const differences = results.flatMap(({ one, difference }) =>
      difference === undefined ? [] : [{ one, difference }],
    );
    const told = await desk.data({ items: differences.map(({ difference }) => difference) });
    if (!told) for (const { one, difference } of differences) desk.out(differenceText(one, difference));
    const failed = results.filter(({ error }) => error !== undefined);
    for (const { one, error } of failed)
      process.stderr.write(`${faultLines(error, title(one), one.place).join("\n")}\n`);
    if (failed.length > 0) return exitCodeOf(failed[0]?.error);
    return differences.some(({ difference }) => difference.outcome !== "unchanged")
      ? exitCodes.no
      : exitCodes.ok;
  },
});

const creation: Difference<Resource> = { outcome: "created", changes: [] };

async function compare(
  client: Client,
  desk: CliDesk,
  { kind, manifest }: PlacedManifest,
): Promise<Difference<Resource>> {
  const known = kind ?? (await desk.kind(manifest.kind));
  return client.kind(known).diff(manifest as unknown as Draft<Resource["spec"]>);
}

function differenceText(one: PlacedManifest, { outcome, changes }: Difference<Resource>): string {
  if (outcome === "unchanged") return "";
  const created = outcome === "created";
  const head = created
    ? [paintOut("bold", `--- nothing`), paintOut("bold", `+++ ${title(one)} (${one.place("")})`)]
    : [paintOut("bold", `--- ${title(one)}`), paintOut("bold", `+++ ${one.place("")}`)];
  const shown: readonly Change[] = created ? [{ pointer: "", after: one.manifest }] : changes;
  return [...head, ...changeLines(shown)].map((line) => `${line}\n`).join("");
}

function title({ manifest }: PlacedManifest): string {
  return nameOf({ name: manifest.kind }, manifest.metadata);
}
