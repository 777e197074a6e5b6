import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { onTestFinished } from "vitest";
import type { TestServer } from "./testing.ts";
import { newCanary } from "./testing-canary.ts";
import { done } from "./testing-people.ts";

const program = join(import.meta.dirname, "..", "..", "tests", "harness", "oidc-provider.mjs");
export const clientCanary = newCanary();
/** With characters that have to be encoded on their way. */
const clientSecret = `the client's secret: ${clientCanary}`;

/** npm's oidc-provider in a process of its own. */
export interface TestProvider {
  readonly url: string;
  /** What it knows of a person. */
  tell(person: string, claims?: object): Promise<void>;
  stop(): Promise<void>;
}

export async function startProvider(
  server: Pick<TestServer, "url">,
  name = "corporate",
): Promise<TestProvider> {
  const clients = [
    {
      client_id: "reeve",
      client_secret: clientSecret,
      redirect_uris: [`${server.url}/api/v1/sign-in/oidc/${name}/callback`],
      grant_types: ["authorization_code"],
    },
  ];
  const child = spawn(process.execPath, [program, JSON.stringify(clients)], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { NODE_NO_WARNINGS: "1" },
  });
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill("SIGKILL");
    await once(child, "exit");
  };
  onTestFinished(stop);
  let url = "";
  for await (const line of createInterface(child.stdout)) {
    url = /^ready at (\S+)$/.exec(line)?.[1] ?? "";
    if (url !== "") break;
  }
  child.stdout.resume();
  return {
    url,
    stop,
    async tell(person, claims = {}) {
      const body = {
        preferred_username: person,
        email: `${person}@example.com`,
        email_verified: true,
        ...claims,
      };
      await fetch(`${url}/people/${person}`, { method: "PUT", body: JSON.stringify(body) });
    },
  };
}

/** A server that trusts a provider, which makes its users. */
export async function federate(
  server: Pick<TestServer, "call">,
  provider: TestProvider,
  spec: object = {},
  name = "corporate",
): Promise<void> {
  const all = { issuer: provider.url, clientId: "reeve", createUsers: true, ...spec };
  await done(server.call("PUT", `/identityproviders/${name}`, { body: { spec: all } }));
  await done(
    server.call("POST", `/identityproviders/${name}/actions/set-secret`, { body: { secret: clientSecret } }),
  );
}

/** A browser: it keeps cookies by host and port, and follows redirects as far as a test lets it. */
export interface Browser {
  readonly cookies: Map<string, string>;
  /** One request; where it leads is in `location`. */
  go(url: string): Promise<{ status: number; location: string; text: string }>;
  /** Follows until an answer that leads nowhere, or an address that `until` accepts, which is not asked. */
  follow(url: string, until?: (url: URL) => boolean): Promise<{ url: URL; status: number; text: string }>;
}

export function openBrowser(person?: string): Browser {
  const cookies = new Map<string, string>();
  const go: Browser["go"] = async (url) => {
    const { host, href } = new URL(url);
    const sent = [...cookies].flatMap(([key, value]) =>
      key.startsWith(`${host} `) ? [`${key.slice(host.length + 1)}=${value}`] : [],
    );
    if (person !== undefined) sent.push(`person=${person}`);
    const answer = await fetch(href, {
      redirect: "manual",
      headers: { cookie: sent.join("; "), "sec-fetch-site": "cross-site" },
    });
    for (const line of answer.headers.getSetCookie()) {
      const [pair = "", ...rest] = line.split(";");
      const [name, value] = pair.split(/=(.*)/s) as [string, string];
      const ended = value === "" || rest.some((part) => /max-age=0|expires=thu, 01 jan 1970/i.test(part));
      if (ended) cookies.delete(`${host} ${name}`);
      else cookies.set(`${host} ${name}`, value);
    }
    const location = answer.headers.get("location");
    return {
      status: answer.status,
      location: location === null ? "" : new URL(location, href).href,
      text: await answer.text(),
    };
  };
  return {
    cookies,
    go,
    async follow(from, until = () => false) {
      let url = from;
      for (let hops = 0; hops < 15; hops++) {
        if (until(new URL(url))) return { url: new URL(url), status: 0, text: "" };
        const { status, location, text } = await go(url);
        if (location === "") return { url: new URL(url), status, text };
        url = location;
      }
      throw new Error(`too many redirects, the last to ${url}`);
    },
  };
}

/** Goes through the whole sign-in; the session's secret, or what was answered instead. */
export async function signInWith(
  server: TestServer,
  browser: Browser,
  query = "",
  name = "corporate",
): Promise<{ secret: string; url: URL; status: number; text: string }> {
  const end = await browser.follow(`${server.url}/api/v1/sign-in/oidc/${name}${query}`);
  return { ...end, secret: browser.cookies.get(`${new URL(server.url).host} reeve`) ?? "" };
}

/** A program's journey: the code it ends with, and its verifier. */
export async function handOver(server: Pick<TestServer, "url">, person: string) {
  const verifier = "v".repeat(43);
  const challenge = "7w_YNF9DSfIdPf_pRjSq646_kPr-2-o9NAl16JGghdM";
  const query = `?port=4567&challenge=${challenge}`;
  const { url } = await openBrowser(person).follow(
    `${server.url}/api/v1/sign-in/oidc/corporate${query}`,
    ({ port }) => port === "4567",
  );
  return { code: url.searchParams.get("code") ?? "", verifier };
}
