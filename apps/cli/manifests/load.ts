import { Fault, type FieldError } from "@reeve/model";
import type { CliDesk } from "../desk.ts";
import { collectFiles } from "./collect-files.ts";
import { type PlacedManifest, placeManifests } from "./place-manifests.ts";
import { readManifests } from "./read-manifests.ts";

/** From `-f` to manifests that know where they belong; throws before anything is sent. `spoilt` as of `readManifests`. */
export async function loadManifests(
  desk: CliDesk,
  paths: readonly string[],
  spoilt?: FieldError[],
): Promise<PlacedManifest[]> {
  const written = readManifests(await collectFiles(paths, desk.stdin), spoilt);
  return placeManifests(written, desk.connection().standing, (name) =>
    desk.kind(name).catch((error: unknown) => {
      if (error instanceof Fault && error.kind === "invalid") return undefined;
      throw error;
    }),
  );
}
