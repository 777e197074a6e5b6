import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { type Api, setUp } from "./api.ts";
import type { Bench } from "./bench.ts";
import { type Cli, openCli } from "./cli.ts";
import { type ServerProcess, startServer } from "./server-process.ts";
import { until } from "./until.ts";

/** The project acme/shop on a real server, and its first administrator at a real command line: where most stories begin. */
export interface Shop {
  readonly server: ServerProcess;
  readonly api: Api;
  readonly reeve: Cli;
  /** A command that must succeed; what it says on stdout. */
  done(args: readonly string[], stdin?: string): Promise<string>;
  /** A command that must not succeed; what it says on stderr. */
  refused(args: readonly string[]): Promise<string>;
  /** A file in the folder that commands are given in. */
  write(name: string, text: string): string;
  /** Applies a workflow by its spec, as JSON, which is YAML too. */
  workflow(name: string, spec: object): Promise<void>;
  /** `reeve run`, without waiting for its end; the run's id. */
  begin(workflow: string, ...args: string[]): Promise<string>;
  run(id: string): Promise<RunSeen>;
  /** The run, when it has ended, its steps by their names. */
  ended(id: string, withinMs?: number): Promise<RunSeen>;
}

// biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever came back
export type RunSeen = any;

export async function openShop(bench: Bench, settings: Readonly<Record<string, string>> = {}): Promise<Shop> {
  const server = await startServer(bench, { settings: { REEVE_HOME_AGENT: "on", ...settings } });
  return shopOf(bench, server);
}

/** Of a server that was started otherwise. */
export async function shopOf(bench: Bench, server: ServerProcess): Promise<Shop> {
  const api = await setUp(server.url, server.setupLink);
  const reeve = openCli(bench, {
    REEVE_URL: server.url,
    REEVE_TOKEN: api.token ?? "",
    REEVE_SCOPE: "acme/shop",
    COLUMNS: "80",
  });
  const said = (args: readonly string[], stdin?: string) => reeve(args, stdin === undefined ? {} : { stdin });
  const shop: Shop = {
    ...{ server, api, reeve },
    async done(args, stdin) {
      const { code, stdout, stderr } = await said(args, stdin);
      const trouble = code === 0 ? "" : stderr + stdout;
      expect({ code, trouble }, `reeve ${args.join(" ")}`).toEqual({ code: 0, trouble: "" });
      return stdout;
    },
    async refused(args) {
      const { code, stderr } = await said(args);
      expect(code, `reeve ${args.join(" ")}`).not.toBe(0);
      return stderr;
    },
    write(name, text) {
      const file = join(reeve.home, name);
      writeFileSync(file, text);
      return file;
    },
    async workflow(name, spec) {
      const metadata = { scope: "acme/shop", name };
      shop.write(
        `${name}.yaml`,
        JSON.stringify({ apiVersion: "reeve/v1", kind: "Workflow", metadata, spec }),
      );
      await shop.done(["apply", "-f", `${name}.yaml`]);
    },
    begin: async (workflow, ...args) => (await shop.done(["run", workflow, ...args])).trim(),
    async run(id) {
      const [run, steps] = await Promise.all(
        ["", "/steps"].map((part) => api.call("GET", `/api/v1/runs/${id}${part}`)),
      );
      const items = (steps?.body.items ?? []) as { name: string }[];
      return { ...run?.body, steps: Object.fromEntries(items.map((one) => [one.name, one])) };
    },
    async ended(id, withinMs = 60_000) {
      const over = ["succeeded", "failed", "cancelled", "skipped"];
      const ask = async () => over.includes((await shop.run(id)).state);
      await until(`the run ${id} to end`, ask, withinMs);
      // Asked beside the run, its steps may have been seen just before its end.
      return shop.run(id);
    },
  };
  shop.write("shop.yaml", "apiVersion: reeve/v1\nkind: Project\nmetadata: { scope: acme, name: shop }\n");
  await shop.done(["apply", "-f", "shop.yaml"]);
  return shop;
}
