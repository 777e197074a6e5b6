import { request as plain } from "node:http";
import { request as secure } from "node:https";
import { type Allowed, addressOf } from "./outgoing.ts";

const timeoutMs = 10_000;

/** Posts a text to an address that somebody wrote into a spec: no redirects, little time, and nothing of the answer but its status. */
export async function post(
  url: string,
  body: string,
  headers: Readonly<Record<string, string>>,
  allowed: Allowed,
): Promise<void> {
  const { protocol, hostname, port, pathname, search, host } = new URL(url);
  if (protocol !== "https:" && protocol !== "http:") throw new Error(`cannot post to ${protocol}//`);
  const address = await addressOf(hostname, allowed);
  const status = await new Promise<number>((resolve, reject) => {
    const asked = (protocol === "https:" ? secure : plain)({
      method: "POST",
      host: address,
      servername: hostname,
      ...(port === "" ? {} : { port: Number(port) }),
      path: `${pathname}${search}`,
      headers: {
        host,
        "content-type": "application/json",
        "content-length": Buffer.byteLength(body),
        ...headers,
      },
      agent: false,
      signal: AbortSignal.timeout(timeoutMs),
    });
    asked.once("error", reject);
    asked.once("response", (answer) => {
      resolve(answer.statusCode ?? 0);
      answer.destroy();
    });
    asked.end(body);
  });
  if (status < 200 || status >= 300) throw new Error(`${hostname} answered ${status}`);
}
