import { existsSync, readFileSync } from "node:fs";
import { hostname } from "node:os";
import { resolve } from "node:path";
import { isLoopback } from "@reeve/control";
import { fieldWords, isName } from "@reeve/model";
import { parse } from "yaml";
import { z } from "zod";
import { settings } from "./settings.ts";

const schema = z.strictObject(settings);

export type Config = z.infer<typeof schema> & { replica: string; dataFolder: string };
export type Command = "serve" | "bootstrap" | "setup-link" | "restore" | "help" | "version" | "recover";

/** Flags win over the environment, that over the file, that over the defaults. A mistake names its setting. */
export function readConfig(
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>> = process.env,
): { config: Config; command: Command; operand: string } {
  const { values: flags, command, operand } = readFlags(argv);
  const file = flags.config ?? env.REEVE_CONFIG ?? (existsSync("reeve.yaml") ? "reeve.yaml" : undefined);
  const layers = [file === undefined ? {} : readFile(file), fromEnvironment(env), without(flags, "config")];
  const sources = new Map<string, string>();
  const merged: Record<string, unknown> = {};
  for (const [index, layer] of layers.entries())
    for (const [key, value] of Object.entries(layer)) {
      merged[key] = value;
      sources.set(key, [`${key} in ${file}`, variableOf(key), `--${kebab(key)}`][index] as string);
    }
  const parsed = schema.safeParse(merged, { error: fieldWords });
  if (!parsed.success)
    throw new ConfigError(parsed.error.issues.map((issue) => explain(issue, sources, file)).join("\n"));
  const config = {
    ...parsed.data,
    replica: parsed.data.replica ?? ownName(parsed.data.listen),
    dataFolder: resolve(parsed.data.data),
  };
  check(config);
  return { config, command, operand };
}

/** A mistake in the configuration: said as it is, without a stack. */
export class ConfigError extends Error {}

function check(config: Config): void {
  if ((config.tlsCert === undefined) !== (config.tlsKey === undefined))
    throw new ConfigError("REEVE_TLS_CERT and REEVE_TLS_KEY go together: one of them is missing");
  if (config.tlsCert !== undefined && config.tlsSelfMade)
    throw new ConfigError("REEVE_TLS_SELF_MADE cannot go with REEVE_TLS_CERT: choose one");
  if ((config.auditHeadsWebhook === undefined) !== (config.auditHeadsSecret === undefined))
    throw new ConfigError(
      "REEVE_AUDIT_HEADS_WEBHOOK and REEVE_AUDIT_HEADS_SECRET go together: one of them is missing",
    );
  checkVault(config);
  const { host } = splitAddress(config.listen);
  const secure = config.tlsCert !== undefined || config.tlsSelfMade;
  if (!isLoopback(host) && !secure && config.trustedProxies.length === 0)
    throw new ConfigError(
      `REEVE_LISTEN: plain HTTP on ${host} would send passwords and tokens in the clear. Set REEVE_TLS_CERT and REEVE_TLS_KEY, or REEVE_TLS_SELF_MADE=true, or name your TLS-terminating proxy in REEVE_TRUSTED_PROXIES`,
    );
  for (const name of ["listen", "agentListen"] as const)
    if (splitAddress(config[name]).port > 65_535)
      throw new ConfigError(`${variableOf(name)}: a port is at most 65535`);
}

function checkVault(config: Config): void {
  const { rootKeyVaultAddress: address, rootKeyVaultToken: token, rootKeyVaultTokenFile: file } = config;
  if (address === undefined) {
    if (token !== undefined || file !== undefined)
      throw new ConfigError(
        "REEVE_ROOT_KEY_VAULT_TOKEN goes with REEVE_ROOT_KEY_VAULT_ADDRESS, which is missing",
      );
    return;
  }
  if ((token === undefined) === (file === undefined))
    throw new ConfigError(
      "REEVE_ROOT_KEY_VAULT_ADDRESS needs one of REEVE_ROOT_KEY_VAULT_TOKEN and REEVE_ROOT_KEY_VAULT_TOKEN_FILE",
    );
  const { protocol, hostname } = new URL(address);
  if (protocol === "http:" && !isLoopback(hostname))
    throw new ConfigError(
      "REEVE_ROOT_KEY_VAULT_ADDRESS: plain HTTP would send keys in the clear; use https://",
    );
}

export function splitAddress(text: string): { host: string; port: number } {
  const at = text.lastIndexOf(":");
  return { host: text.slice(0, at).replace(/^\[(.*)\]$/, "$1"), port: Number(text.slice(at + 1)) };
}

function readFlags(argv: readonly string[]): {
  values: Record<string, string>;
  command: Command;
  /** What the command is about: the backup to restore, the user to recover. */
  operand: string;
} {
  const values: Record<string, string> = {};
  let command: Command = "serve";
  let operand = "";
  for (let at = 0; at < argv.length; at++) {
    const [name, inline] = (argv[at] as string).split(/=(.*)/s) as [string, string | undefined];
    if (["--bootstrap", "--setup-link", "--help", "--version"].includes(name)) {
      command = name.slice(2) as Command;
      continue;
    }
    if (name === "--restore") {
      command = "restore";
      operand = inline ?? argv[++at] ?? "";
      if (!operand.includes("/"))
        throw new ConfigError("--restore needs FOLDER/NAME or s3://BUCKET/PATH/NAME");
      continue;
    }
    if (name === "--recover") {
      command = "recover";
      operand = inline ?? argv[++at] ?? "";
      if (!isName(operand)) throw new ConfigError("--recover needs the name of a user");
      continue;
    }
    const key =
      name === "--config" ? "config" : Object.keys(settings).find((one) => `--${kebab(one)}` === name);
    if (key === undefined) throw new ConfigError(`unknown flag ${name}; --help lists them`);
    const value = inline ?? (key === "tlsSelfMade" ? "true" : argv[++at]);
    if (value === undefined) throw new ConfigError(`${name} needs a value`);
    values[key] = value;
  }
  return { values, command, operand };
}

function fromEnvironment(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const values: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    // Variables of the CLI, which people may have set in the same shell.
    if (
      !name.startsWith("REEVE_") ||
      value === undefined ||
      ["REEVE_CONFIG", "REEVE_URL", "REEVE_TOKEN", "REEVE_SCOPE", "REEVE_CONTEXT", "REEVE_CONTEXTS"].includes(
        name,
      )
    )
      continue;
    const key = Object.keys(settings).find((one) => variableOf(one) === name);
    if (key === undefined)
      throw new ConfigError(`unknown setting ${name} in the environment; --help lists the settings`);
    values[key] = value;
  }
  return values;
}

function readFile(path: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = parse(readFileSync(path, "utf8"), { schema: "core", maxAliasCount: 20 });
  } catch (error) {
    throw new ConfigError(`${path}: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (value === null) return {};
  if (typeof value !== "object" || Array.isArray(value))
    throw new ConfigError(`${path}: expected settings as "name: value" lines`);
  return value as Record<string, unknown>;
}

function explain(
  issue: z.core.$ZodIssue,
  sources: ReadonlyMap<string, string>,
  file: string | undefined,
): string {
  if (issue.code === "unrecognized_keys")
    return `${file}: unknown setting ${issue.keys.join(", ")}; --help lists the settings`;
  const key = String(issue.path[0]);
  return `${sources.get(key) ?? variableOf(key)}: ${issue.message}`;
}

export function helpText(): string {
  const rows = Object.entries(settings).map(
    ([key, setting]) =>
      `  --${kebab(key).padEnd(22)} ${variableOf(key).padEnd(30)} ${setting.description ?? ""}`,
  );
  return `Start Reeve's server.

  npm start                      the embedded database, http://localhost:8080
  npm start -- --setup-link      print a new setup link, if nobody has used one yet
  npm start -- --restore FROM    bring an installation back from a backup, FOLDER/NAME or s3://BUCKET/PATH/NAME
  npm start -- --recover NAME    print a one-time link for a user who cannot sign in any more
  npm start -- --bootstrap       found a new installation although this folder knew another one

Settings, as a flag, as an environment variable, or by their camelCase name in reeve.yaml (--config FILE):

${rows.join("\n")}
`;
}

/** The same name after a restart, and another one for a second server on the same machine. */
function ownName(listen: string): string {
  const host =
    hostname()
      .toLowerCase()
      .replaceAll(/[^a-z0-9-]/g, "-")
      .replaceAll(/^-+|-+$/g, "")
      .slice(0, 50) || "reeve";
  return `${host}-${splitAddress(listen).port}`;
}

function kebab(key: string): string {
  return key.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

function variableOf(key: string): string {
  return `REEVE_${key.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
}

function without(values: Record<string, string>, key: string): Record<string, string> {
  const { [key]: _, ...rest } = values;
  return rest;
}

/** Our own. Its threads allocate little: an arena of malloc for each would be 2 MB of memory. */
export function homeAgentEnvironment(): NodeJS.ProcessEnv {
  return { ...process.env, MALLOC_ARENA_MAX: "1" };
}
