import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";
import type { Premises } from "../measure/premises.ts";
import { say } from "../measure/progress.ts";
import { startAsked } from "./asked-process.ts";

/** Another system in a process of its own, on a database of its own in the same Postgres. */
export interface Peer {
  readonly pid: number;
  /** Jobs a second, from the first send until the last is recorded as done. */
  jobs(input: { readonly count: number }): Promise<number>;
  /** Milliseconds from the acknowledged send to the start of the body, one job at a time. */
  starts(input: { readonly count: number; readonly pauseMs: number }): Promise<number[]>;
  /** Milliseconds of each chain; only DBOS has them. */
  chains(input: { readonly count: number; readonly steps: number }): Promise<number[]>;
  end(): Promise<void>;
}

export const peerNames = ["pg-boss", "graphile-worker", "dbos"] as const;
export type PeerName = (typeof peerNames)[number];

const source = join(import.meta.dirname, "peers");
const installed = resolve(import.meta.dirname, "..", "..", "..", ".cache", "bench-peers");

/** Installed on demand and apart: nothing of the project depends on them. The same lockfile is installed once. */
export function installPeers(): void {
  const lock = readFileSync(join(source, "package-lock.json"), "utf8");
  const stamp = join(installed, "installed");
  mkdirSync(installed, { recursive: true });
  cpSync(source, installed, { recursive: true });
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === lock) return;
  say("installing the peers into .cache/bench-peers");
  // Without our own node_modules/.bin, whose Node npm would otherwise run on.
  const PATH = (process.env.PATH ?? "")
    .split(delimiter)
    .filter((folder) => !folder.endsWith("node_modules/.bin"))
    .join(delimiter);
  const args = ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  execFileSync("npm", args, { cwd: installed, env: { ...process.env, PATH }, stdio: ["ignore", 2, 2] });
  writeFileSync(stamp, lock);
}

export function startPeer(premises: Premises, name: PeerName, databaseUrl: string): Peer {
  const { pid, ask, end } = startAsked(premises, join(installed, `${name}.mjs`), {
    DATABASE_URL: databaseUrl,
  });
  return {
    pid,
    jobs: (input) => ask("jobs", input),
    starts: (input) => ask("starts", input),
    chains: (input) => ask("chains", input),
    end,
  };
}
