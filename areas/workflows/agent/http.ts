import type { Executor, InnerOutcome, Inside } from "@reeve/agent";
import type { Json, JsonObject } from "@reeve/model";
import * as z from "zod/mini";
import { PrivateAddress } from "./http-address.ts";
import { askHttp, type HttpAnswered } from "./http-request.ts";
import { readWith } from "./script.ts";

/** What is kept of an answer's body for the log, and for outputs. */
const bodyMost = 1024 * 1024;
const outputMost = 64 * 1024;

const schema = z.strictObject({
  method: z._default(z.enum(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]), "GET"),
  url: z.url({ protocol: /^https?$/ }),
  headers: z._default(
    z.record(z.string().check(z.regex(/^[\w!#$%&'*+.^`|~-]+$/)), z.string().check(z.regex(/^[^\r\n\0]*$/))),
    {},
  ),
  body: z.optional(z.union([z.string(), z.record(z.string(), z.json()), z.array(z.json())])),
  expect: z._default(
    z.strictObject({
      status: z.optional(z.union([z.int(), z.array(z.int())])),
      contains: z.optional(z.string()),
    }),
    {},
  ),
  allowPrivate: z._default(z.boolean(), false),
});

type Asked = z.infer<typeof schema>;

/** One request, done inside the agent: repeated when the agent dies with it, so it should be one that may be. */
export const http: Executor = {
  name: "http",
  available: async () => true,
  async prepare(order) {
    const asked = readWith(schema, order);
    return { does: "inside", run: (inside) => perform(asked, inside) };
  },
};

async function perform(asked: Asked, { signal, stdout, stderr }: Inside): Promise<InnerOutcome> {
  const json = asked.body !== undefined && typeof asked.body !== "string";
  const url = new URL(asked.url);
  stderr(`${asked.method} ${url.origin}${url.pathname}\n`);
  try {
    const answer = await askHttp(
      {
        method: asked.method,
        url,
        headers: { ...(json ? { "content-type": "application/json" } : {}), ...asked.headers },
        body: json ? JSON.stringify(asked.body) : (asked.body as string | undefined),
        allowPrivate: asked.allowPrivate,
      },
      bodyMost,
      signal,
    );
    stderr(
      `answered ${answer.status}${answer.cut ? `, more than ${bodyMost} bytes: the rest was left` : ""}\n`,
    );
    const text = answer.body.toString("utf8");
    stdout(text.endsWith("\n") || text === "" ? text : `${text}\n`);
    const missing = unexpected(asked.expect, answer.status, text);
    return missing === undefined
      ? { outcome: "succeeded", why: "", outputs: outputsOf(answer, text) }
      : { outcome: "failed", why: missing };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { outcome: "failed", why, final: error instanceof PrivateAddress };
  }
}

function unexpected(
  { status, contains }: Asked["expect"],
  answered: number,
  text: string,
): string | undefined {
  const good = status === undefined ? answered >= 200 && answered < 300 : [status].flat().includes(answered);
  if (!good) return `answered ${answered}`;
  if (contains !== undefined && !text.includes(contains))
    return `the answer does not contain ${JSON.stringify(contains)}`;
  return undefined;
}

/** A body that is JSON by its own word is given on as what it means. */
function outputsOf({ status, headers }: HttpAnswered, text: string): JsonObject {
  if (Buffer.byteLength(text) > outputMost) return { status };
  if (!/[/+]json\b/.test(headers["content-type"] ?? "")) return { status, body: text };
  try {
    return { status, body: JSON.parse(text) as Json };
  } catch {
    return { status, body: text };
  }
}
