import { createHash } from "node:crypto";
import type { ReadableStream } from "node:stream/web";
import { setTimeout as sleep } from "node:timers/promises";
import { Fault } from "@reeve/model";
import { AwsClient } from "aws4fetch";
import type { S3Options } from "./s3.ts";

const tries = 5;

/** The dozen requests of S3's protocol that we need, each signed with the digest of its body. */
export function openBucket(options: S3Options) {
  const { endpoint, region, bucket, accessKey, secret, signal } = options;
  const client = new AwsClient({ accessKeyId: accessKey, secretAccessKey: secret, service: "s3", region });
  const base = `${endpoint.replace(/\/+$/, "")}/${bucket}`;

  /** Passing trouble is waited out; every request of ours may be repeated. */
  async function send(
    method: string,
    key: string,
    query: Query = {},
    body?: Buffer | string,
  ): Promise<Response> {
    const url = new URL(`${base}/${key.split("/").map(encodeURIComponent).join("/")}`);
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    const headers = {
      "x-amz-content-sha256": createHash("sha256")
        .update(body ?? "")
        .digest("hex"),
    };
    for (let attempt = 1; ; attempt++) {
      const request = { method, headers, ...(body === undefined ? {} : { body }) };
      const sent = fetch(await client.sign(url, request), { signal: signal ?? null });
      const answer = await sent.catch((error: Error) => error);
      signal?.throwIfAborted();
      const passing = answer instanceof Error || answer.status >= 500 || answer.status === 429;
      if (!passing || attempt === tries) {
        if (answer instanceof Error) throw unreachable(options, base, answer);
        return answer;
      }
      await sleep(Math.random() * 100 * 2 ** attempt);
    }
  }

  async function text(
    method: string,
    key: string,
    query: Query = {},
    body?: Buffer | string,
  ): Promise<string> {
    const answer = await send(method, key, query, body);
    const said = await answer.text();
    // Completing an upload may fail after the status was sent.
    if (!answer.ok || said.includes("<Error>")) throw refused(options, method, answer.status, said);
    return said;
  }

  return {
    put: (key: string, body: Buffer) => text("PUT", key, {}, body),
    async get(key: string): Promise<ReadableStream | undefined> {
      const answer = await send("GET", key);
      if (answer.ok && answer.body !== null) return answer.body as ReadableStream;
      const said = await answer.text();
      if (answer.status === 404 && tagOf(said, "Code") !== "NoSuchBucket") return undefined;
      throw refused(options, "GET", answer.status, said);
    },
    delete: (key: string) => text("DELETE", key),
    async list(prefix: string): Promise<string[]> {
      const keys: string[] = [];
      let more: Query = {};
      do {
        const page = await text("GET", "", { "list-type": "2", "encoding-type": "url", prefix, ...more });
        keys.push(...tagsOf(page, "Key").map(decoded));
        const token = tagOf(page, "NextContinuationToken");
        more = token === undefined ? {} : { "continuation-token": token };
      } while (more["continuation-token"] !== undefined);
      return keys;
    },
    async beginUpload(key: string): Promise<string> {
      const upload = tagOf(await text("POST", key, { uploads: "" }), "UploadId");
      if (upload === undefined) throw new Error("the storage began an upload without naming it");
      return upload;
    },
    async putPart(key: string, upload: string, number: number, body: Buffer): Promise<string> {
      const answer = await send("PUT", key, { partNumber: String(number), uploadId: upload }, body);
      const tag = answer.headers.get("etag");
      if (!answer.ok || tag === null) throw refused(options, "PUT", answer.status, await answer.text());
      return tag;
    },
    completeUpload(key: string, upload: string, tags: readonly string[]): Promise<string> {
      const parts = tags.map(
        (tag, index) => `<Part><PartNumber>${index + 1}</PartNumber><ETag>${tag}</ETag></Part>`,
      );
      const body = `<CompleteMultipartUpload>${parts.join("")}</CompleteMultipartUpload>`;
      return text("POST", key, { uploadId: upload }, body);
    },
    abortUpload: (key: string, upload: string) => text("DELETE", key, { uploadId: upload }),
    /** Uploads that were begun and neither completed nor aborted: they take room, and no listing shows them. */
    async uploads(prefix: string): Promise<{ key: string; upload: string }[]> {
      const page = await text("GET", "", { uploads: "", "encoding-type": "url", prefix });
      const ids = tagsOf(page, "UploadId");
      return tagsOf(page, "Key").map((key, index) => ({ key: decoded(key), upload: ids[index] as string }));
    },
  };
}

type Query = Readonly<Record<string, string>>;

function refused({ bucket, settings }: S3Options, method: string, status: number, said: string): Fault {
  const code = tagOf(said, "Code") ?? `status ${status}`;
  const message = tagOf(said, "Message") ?? "";
  return new Fault("unavailable", `the bucket ${bucket} refused a ${method}: ${code} ${message}`.trim(), {
    next: `check ${settings}_TO and ${settings}_S3_*, and what the key may do`,
  });
}

function unreachable({ settings }: S3Options, base: string, error: Error): Fault {
  const cause = error.cause instanceof Error ? error.cause : error;
  return new Fault("unavailable", `the storage at ${base} cannot be reached: ${cause.message}`, {
    next: `check ${settings}_S3_ENDPOINT and the network`,
    cause: error,
  });
}

function tagsOf(xml: string, tag: string): string[] {
  return [...xml.matchAll(new RegExp(`<${tag}>([^<]*)</${tag}>`, "g"))].map((found) =>
    plain(String(found[1])),
  );
}

function tagOf(xml: string, tag: string): string | undefined {
  return tagsOf(xml, tag)[0];
}

function plain(text: string): string {
  const names: Readonly<Record<string, string>> = { lt: "<", gt: ">", quot: '"', apos: "'", amp: "&" };
  return text.replaceAll(/&(lt|gt|quot|apos|amp);/g, (_, name: string) => names[name] ?? "");
}

function decoded(key: string): string {
  return decodeURIComponent(key.replaceAll("+", " "));
}
