import { Fault } from "@reeve/model";
import type { CliDesk } from "../desk.ts";
import { collectFiles } from "./collect-files.ts";
import { type PlacedManifest, placeManifests } from "./place-manifests.ts";
import { readManifests } from "./read-manifests.ts";

/** From `-f` to manifests that know where they belong; throws before anything is sent. */
export async function loadManifests(desk: CliDesk, paths: readonly string[]): Promise<PlacedManifest[]> {
  const written = readManifests(await collectFiles(paths, desk.stdin));
  return placeManifests(written, desk.connection().standing, (name) =>
    desk.kind(name).catch((error: unknown) => {
      if (error instanceof Fault && error.kind === "invalid") return undefined;
      throw error;
    }),
  );
}
