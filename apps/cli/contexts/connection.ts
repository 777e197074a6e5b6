import { readFileSync } from "node:fs";
import { Fault, type Scope } from "@reeve/model";
import type { Environment } from "../config.ts";
import type { Standing } from "../places.ts";
import { type Context, type Contexts, contextNamed } from "./contexts.ts";

/** Where a command goes and as whom. */
export interface Connection {
  readonly name: string | undefined;
  readonly url: string;
  readonly token?: string;
  readonly ca?: string;
  readonly standing: Standing;
}

interface Given {
  readonly context?: string;
  readonly scope?: Scope;
}

/**
 * A flag beats the environment, the environment beats the file. The token of a context goes to that context's server only:
 * with REEVE_URL pointing elsewhere it stays at home.
 */
export function chooseConnection(flags: Given, environment: Environment, all: Contexts): Connection {
  const named = flags.context ?? environment.context;
  const fromEnvironment = flags.context === undefined;
  const name = named ?? (environment.url === undefined ? all.current : contextOf(environment.url, all));
  const context = name === undefined ? undefined : contextNamed(all, name);
  const url = (fromEnvironment ? environment.url : undefined) ?? context?.url;
  if (url === undefined) throw noServer();
  const own = context !== undefined && sameServer(context.url, url) ? context : undefined;
  const token = (fromEnvironment ? environment.token : undefined) ?? own?.token;
  return {
    name,
    url,
    ...(token === undefined ? {} : { token }),
    ...(own?.ca === undefined ? {} : { ca: own.ca }),
    standing: standingOf(flags, environment, own),
  };
}

function standingOf(flags: Given, environment: Environment, context: Context | undefined): Standing {
  if (flags.scope !== undefined) return { scope: flags.scope, explicit: true };
  return { scope: environment.scope ?? context?.scope ?? "", explicit: false };
}

export function readCa(file: string): string {
  const pem = readFileSync(file, "utf8");
  if (pem.includes("-----BEGIN CERTIFICATE-----")) return pem;
  throw new Fault("invalid", `${file} holds no certificate`, {
    next: "give a PEM file: -----BEGIN CERTIFICATE-----",
  });
}

export function sameServer(one: string, other: string): boolean {
  if (!URL.canParse(one) || !URL.canParse(other)) return one === other;
  const [a, b] = [new URL(one), new URL(other)];
  return a.origin === b.origin && a.pathname.replace(/\/$/, "") === b.pathname.replace(/\/$/, "");
}

function contextOf(url: string, all: Contexts): string | undefined {
  return Object.keys(all.contexts).find((name) => sameServer(all.contexts[name]?.url ?? "", url));
}

function noServer(): Fault {
  return new Fault("unauthenticated", "no server is known", {
    next: "sign in with: reeve login URL (a new server prints a link for: reeve setup LINK)",
  });
}
