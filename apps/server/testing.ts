import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Database } from "@reeve/store";
import { testDatabase } from "@reeve/store/testing";
import { onTestFinished } from "vitest";
import { readConfig } from "./config.ts";
import { findInstallation } from "./installation.ts";
import { openLog } from "./logger.ts";
import { startServer } from "./server.ts";

export interface TestServer {
  readonly url: string;
  readonly database: Database;
  readonly databaseUrl: string;
  /** A token of the installation's owner. */
  readonly owner: string;
  /** What its first administrator was made with; undefined when another replica was there first. */
  readonly setupToken: string | undefined;
  /** Calls the API; the answer with its body read. */
  call(method: string, path: string, options?: CallOptions): Promise<Answer>;
}

export interface CallOptions {
  readonly token?: string | null;
  readonly body?: unknown;
  readonly rawBody?: string | Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever came back
  readonly body: any;
}

/** The same for all: replicas that share a database share it. */
const rootKey = randomBytes(32).toString("base64");

/** A whole replica in this process, on a database and ports of its own, with its first administrator `ada`. */
export async function testServer(
  options: { settings?: Record<string, string | undefined>; share?: TestServer } = {},
): Promise<TestServer> {
  const { database, url: databaseUrl } = options.share
    ? { database: options.share.database, url: options.share.databaseUrl }
    : await testDatabase();
  const data = mkdtempSync(join(tmpdir(), "reeve-data-"));
  const { config } = readConfig([], {
    REEVE_LISTEN: "127.0.0.1:0",
    REEVE_AGENT_LISTEN: "127.0.0.1:0",
    REEVE_DATA: data,
    REEVE_DATABASE_URL: databaseUrl,
    REEVE_ROOT_KEY: rootKey,
    REEVE_REPLICA: `test-${randomBytes(4).toString("hex")}`,
    REEVE_LOG_LEVEL: "error",
    REEVE_HOME_AGENT: "off",
    REEVE_ANONYMOUS_PER_MINUTE: "1000000",
    ...options.settings,
  });
  const { installation, setupToken } = await findInstallation(database, data, false);
  const server = await startServer(config, database, installation, "test", openLog(config.logLevel, true));
  onTestFinished(async () => {
    await server.stop();
    rmSync(data, { recursive: true, force: true });
  });
  let owner = options.share?.owner ?? "";
  const call: TestServer["call"] = (method, path, given = {}) =>
    callApi(server.url, method, path, { token: owner, ...given });
  if (setupToken !== undefined) {
    const answer = await call("POST", "/setup", {
      token: null,
      body: { token: setupToken, user: "ada", password: "correct horse battery", organization: "acme" },
    });
    if (answer.status !== 201) throw new Error(`setup failed: ${JSON.stringify(answer.body)}`);
    owner = answer.body.token;
  }
  return { url: server.url, database, databaseUrl, owner, setupToken, call };
}

export async function callApi(
  url: string,
  method: string,
  path: string,
  { token, body, rawBody, headers }: CallOptions,
): Promise<Answer> {
  const sent = rawBody ?? (body === undefined ? undefined : JSON.stringify(body));
  const answer = await fetch(
    `${url}${path.startsWith("/") && !/^\/(livez|readyz|metrics|openapi|docs|setup\/)/.test(path) ? `/api/v1${path}` : path}`,
    {
      method,
      headers: {
        ...(token ? { authorization: `Bearer ${token}` } : {}),
        ...(sent === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      ...(sent === undefined ? {} : { body: sent as string }),
    },
  );
  const text = await answer.text();
  return {
    status: answer.status,
    headers: answer.headers,
    body: /\bjson\b/.test(answer.headers.get("content-type") ?? "") ? JSON.parse(text) : text,
  };
}
