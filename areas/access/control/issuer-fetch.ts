import type { Tools } from "@reeve/control";
import { isLoopbackHost } from "../kinds/index.ts";

const timeoutMs = 5000;
const limitBytes = 1024 * 1024;

export type IssuerFetch = (url: string | URL, options?: RequestInit) => Promise<Response>;

/**
 * Asks an issuer that somebody wrote into a spec, so as little as possible is left to it: https (plain HTTP only on a
 * workshop machine, where Reeve itself is on it), no redirects, little time, little text.
 */
export function openIssuerFetch(tools: Pick<Tools, "publicUrl">): IssuerFetch {
  return async (url, options = {}) => {
    const { protocol, hostname, host } = new URL(url);
    const workshop = tools.publicUrl().startsWith("http:") && isLoopbackHost(hostname);
    if (protocol !== "https:" && !workshop) throw new TypeError(`${host} is not asked over ${protocol}`);
    const ending = [AbortSignal.timeout(timeoutMs), ...(options.signal ? [options.signal] : [])];
    const answer = await fetch(url, { ...options, redirect: "error", signal: AbortSignal.any(ending) });
    const { status, headers } = answer;
    return new Response(status === 204 ? null : await readLimited(answer, host), { status, headers });
  };
}

async function readLimited(answer: Response, host: string): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of answer.body ?? []) {
    bytes += chunk.length;
    if (bytes > limitBytes) throw new TypeError(`${host} answered with more than ${limitBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
