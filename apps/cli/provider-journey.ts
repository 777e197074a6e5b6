import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { createInterface } from "node:readline/promises";
import { Usage } from "@reeve/sdk/cli";
import type { CliDesk } from "./desk.ts";

const minutes = 10;

/**
 * Lets the person sign in at an identity provider in a browser, here or on another machine, and waits for the code that this
 * ends with: it comes to a port of this machine, or is pasted from where the browser ended. Without the verifier, which stays
 * here, it is of no use to anybody.
 */
export async function walkToProvider(
  desk: CliDesk,
  url: string,
  provider: string,
): Promise<{ code: string; verifier: string }> {
  const verifier = randomBytes(32).toString("base64url");
  const challenge = createHash("sha256").update(verifier).digest("base64url");
  const { createServer } = await import("node:http");
  const listener = createServer().listen(0, "127.0.0.1");
  await once(listener, "listening");
  const { port } = listener.address() as AddressInfo;
  const query = new URLSearchParams({ challenge, port: String(port) });
  desk.say(
    `open this address in a browser and sign in:\n\n  ${url}/api/v1/sign-in/oidc/${encodeURIComponent(provider)}?${query}\n`,
  );
  const ending = new AbortController();
  const signal = AbortSignal.any([ending.signal, AbortSignal.timeout(minutes * 60_000)]);
  try {
    const ways = [arriving(listener, signal), ...(desk.terminal.interactive ? [pasted(signal)] : [])];
    return { code: await Promise.race(ways), verifier };
  } finally {
    ending.abort();
    listener.close();
    listener.closeAllConnections();
  }
}

async function arriving(listener: Server, signal: AbortSignal): Promise<string> {
  for (;;) {
    const [request, response] = await once(listener, "request", { signal }).catch(() => {
      throw new Usage(`nobody came back within ${minutes} minutes`, "begin again");
    });
    const code = new URL(request.url, "http://127.0.0.1").searchParams.get("code");
    response.setHeader("content-type", "text/plain; charset=utf-8").setHeader("connection", "close");
    if (code === null) response.writeHead(404).end("nothing is here\n");
    else {
      await new Promise((sent) => response.end("Done. You can close this window.\n", sent));
      return code;
    }
  }
}

/** A browser on another machine does not reach the port, but shows the address that it was sent to. */
async function pasted(signal: AbortSignal): Promise<string> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    for (;;) {
      const text = await lines.question("browser on another machine? paste the address it ends at: ", {
        signal,
      });
      const code = URL.parse(text.trim())?.searchParams.get("code");
      if (code) return code;
    }
  } catch {
    // Ended: the other way has won, or tells why not.
    return new Promise(() => {});
  } finally {
    lines.close();
  }
}
