import { Fault, type FieldError, type Resource } from "@reeve/model";
import type { BulkManifest, BulkResult } from "@reeve/sdk";
import { defineVerb, flag, text, texts } from "@reeve/sdk/cli";
import type { CliDesk } from "../desk.ts";
import { exitCodeOf, exitCodes } from "../exit-codes.ts";
import { faultLines } from "../fault-report.ts";
import { loadManifests } from "../manifests/load.ts";
import { awaitsItsScope } from "../manifests/opened-scopes.ts";
import type { PlacedManifest } from "../manifests/place-manifests.ts";
import { nameOf } from "../output/name-of.ts";
import { paintOut } from "../output/paint.ts";
import { asList } from "../output/print.ts";

export const apply = defineVerb<CliDesk>()({
  name: "apply",
  group: "change",
  summary: "Make resources be as the manifests say",
  options: {
    file: texts("FILE", "A file, a folder with everything below, a zip or tar.gz archive, or - for stdin", {
      short: "f",
      completes: "file",
    }),
    dryRun: flag("Check in full, keep nothing"),
    reason: text("TEXT", "Why, for history and audit"),
  },
  example: "reeve apply -f team/ --reason 'new project'",
  async run(desk, { options }) {
    const spoilt: FieldError[] = [];
    const manifests = await loadManifests(desk, options.file, spoilt);
    const client = await desk.client();
    if (manifests.length > 1) desk.progress(`applying ${manifests.length} manifests`);
    const results = await client.applyMany(
      manifests.map(({ manifest }) => manifest as unknown as BulkManifest),
      { dryRun: options.dryRun, ...(options.reason === undefined ? {} : { reason: options.reason }) },
    );
    desk.progress("");
    const refused = report(desk, manifests, results, options.dryRun);
    const unread = reportSpoilt(spoilt);
    const resources = results.flatMap((result) => ("resource" in result ? [result.resource] : []));
    await desk.data(manifests.length === 1 && resources.length === 1 ? resources[0] : asList(resources));
    return refused || unread;
  },
});

/** A line for each; the exit code is that of the first failure. */
function report(
  desk: CliDesk,
  manifests: readonly PlacedManifest[],
  results: readonly BulkResult[],
  dryRun: boolean,
): number {
  let code: number = exitCodes.ok;
  results.forEach((result, index) => {
    const { manifest, place } = manifests[index] as PlacedManifest;
    const name = nameOf({ name: manifest.kind }, manifest.metadata);
    if (
      "fault" in result &&
      dryRun &&
      awaitsItsScope(manifests[index] as PlacedManifest, manifests, result.fault)
    )
      desk.out(`${name} would be created once its scope is there; not checked (dry run)\n`);
    else if ("fault" in result) {
      code ||= exitCodeOf(result.fault);
      process.stderr.write(`${faultLines(result.fault, name, place).join("\n")}\n`);
    } else if (!forPrograms(desk)) desk.out(`${resultLine(desk, name, result, dryRun)}\n`);
  });
  return code;
}

/** Files of an archive that could not be read; the others have been applied. */
function reportSpoilt(spoilt: readonly FieldError[]): number {
  for (const { pointer, message } of spoilt)
    process.stderr.write(`${faultLines(new Fault("invalid", `${pointer}: ${message}`)).join("\n")}\n`);
  return spoilt.length > 0 ? exitCodeOf(new Fault("invalid", "")) : exitCodes.ok;
}

function resultLine(
  desk: CliDesk,
  name: string,
  { outcome }: { outcome: string; resource: Resource },
  dryRun: boolean,
): string {
  if (desk.flags.output === "name") return name;
  const colours = { created: "green", updated: "yellow" } as const;
  const shown =
    outcome === "unchanged" ? outcome : paintOut(colours[outcome as keyof typeof colours], outcome);
  return `${name} ${shown}${dryRun ? " (dry run)" : ""}`;
}

function forPrograms(desk: CliDesk): boolean {
  return desk.flags.output === "json" || desk.flags.output === "yaml";
}
