import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beginRecovery } from "@reeve/access/control";
import type { Log } from "@reeve/control";
import { tidyMemoryWhenIdle } from "@reeve/model/idle-memory";
import { openLane } from "@reeve/store";
import { registry } from "./areas.ts";
import { type Config, ConfigError, helpText, readConfig } from "./config.ts";
import { openStore } from "./database.ts";

import { findInstallation, newSetupToken } from "./installation.ts";
import { openLog } from "./logger.ts";
import { restoreFrom } from "./restore.ts";
import { startServer } from "./server.ts";

const { version } = JSON.parse(readFileSync(join(import.meta.dirname, "package.json"), "utf8")) as {
  version: string;
};

/** One page: configuration, database, installation, server; stopped in reverse. What people need is on stdout. */
export async function run(argv: readonly string[]): Promise<void> {
  let task = "start";
  try {
    const { config, command, operand } = readConfig(argv);
    if (command === "restore" || command === "recover") task = command;
    if (command === "help") return void process.stdout.write(helpText());
    if (command === "version") return void process.stdout.write(`${version}\n`);
    const log = openLog(config.logLevel, process.stderr.isTTY === true);
    if (command === "setup-link") await printSetupLink(config, log);
    else if (command === "restore") await restoreFrom(operand, config, log);
    else if (command === "recover") await printRecoveryLink(operand, config, log);
    else await serve(config, command === "bootstrap", log);
  } catch (error) {
    const text =
      error instanceof ConfigError || !(error instanceof Error)
        ? String((error as Error).message ?? error)
        : reason(error);
    process.stderr.write(`reeve: cannot ${task}: ${text}\n`);
    process.exitCode = 1;
  }
}

async function serve(config: Config, bootstrap: boolean, log: Log): Promise<void> {
  // From here on: a stop that comes while we are still starting is one as well, and leaves no Postgres behind.
  const stopped = signalled();
  const store = await openStore(config, log, "serve");
  try {
    const { installation, setupToken } = await findInstallation(store.database, config.dataFolder, bootstrap);
    const server = await startServer(config, store.database, installation, version, log);
    const serves = config.roles.includes("api");
    const ready = serves
      ? `Reeve is ready at ${server.url}\n`
      : `Reeve is ready, as ${config.roles.join(" and ")} only\n`;
    // At once, so that a program that waits for the first line has the link too.
    process.stdout.write(ready + aboutSetup(server.url, setupToken, installation.setupDone));
    tidyMemoryWhenIdle();
    await stopped;
    log.info({}, "stopping");
    await server.stop();
  } finally {
    await store.close();
  }
}

function aboutSetup(url: string, token: string | undefined, done: boolean): string {
  if (token !== undefined)
    return `Make the first administrator with this link; it works once:\n  ${url}/setup#${token}\n  (or in a terminal: npx reeve setup '${url}/setup#${token}')\n`;
  return done ? "" : "Nobody has used the setup link yet; `npm start -- --setup-link` prints a new one.\n";
}

async function printSetupLink(config: Config, log: Log): Promise<void> {
  const store = await openStore(config, log, "visit");
  try {
    process.stdout.write(`${urlOf(config)}/setup#${await newSetupToken(store.database)}\n`);
  } finally {
    await store.close();
  }
}

/** Whoever can start the server on its database may let a user in again; the link then works like any other. */
async function printRecoveryLink(user: string, config: Config, log: Log): Promise<void> {
  const store = await openStore(config, log, "visit");
  try {
    const { database } = store;
    const lane = openLane({ database, registry, reconciled: new Set() });
    const { token, expiresAt, did } = await beginRecovery({ database, lane }, user);
    const lines = did.map((one) => `${one}\n`).join("");
    process.stdout.write(
      `${lines}This link works once, until ${expiresAt}. It sets a new password of ${user}, removes its second factors and ends its sessions:\n  ${urlOf(config)}/recover#${token}\n`,
    );
  } finally {
    await store.close();
  }
}

/** Where people reach the server, as far as the configuration tells. */
function urlOf({ publicUrl, tlsCert, tlsSelfMade, listen }: Config): string {
  const scheme = tlsCert || tlsSelfMade ? "https" : "http";
  return publicUrl ?? `${scheme}://${listen.replace(/^127\.0\.0\.1:/, "localhost:")}`;
}

/** The first signal stops in order; a second one gives up waiting. */
function signalled(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => resolve());
    for (const signal of ["SIGINT", "SIGTERM"] as const)
      process.on(signal, () => setTimeout(() => process.once(signal, () => process.exit(1)), 1000).unref());
  });
}

/** An error with its causes, without a stack: the reader is an operator. */
function reason(error: Error): string {
  const cause = error.cause instanceof Error ? ` (${reason(error.cause)})` : "";
  return `${error.message}${cause}`;
}
