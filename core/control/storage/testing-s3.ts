import { createHash, createHmac, randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";

/**
 * A storage that speaks S3's language and is stricter than any: every signature (version 4) and every digest is computed anew,
 * by Amazon's description and not by our client's library, and multipart uploads follow its rules.
 */
export interface TestS3 {
  readonly url: string;
  readonly objects: Map<string, Buffer>;
  readonly uploads: Map<string, { key: string; parts: Map<number, Buffer> }>;
  /** Requests as `METHOD key?query`. */
  readonly seen: string[];
  /** Requests, given as in `seen`, that are never answered. */
  silentTo: (request: string) => boolean;
  /** The next requests are answered by 503. */
  failNext: number;
  close(): Promise<void>;
}

export const s3Key = { accessKey: "AKIDTEST", secret: "a/secret+key", region: "eu-test-1", bucket: "vault" };

const smallestPart = 5 * 1024 * 1024;
const pageSize = 2;

export async function startTestS3(): Promise<TestS3> {
  const s3 = {
    objects: new Map(),
    uploads: new Map(),
    seen: [],
    failNext: 0,
    silentTo: () => false,
  } as unknown as TestS3;
  const server = createServer(async (request, response) => {
    const body = await buffer(request);
    try {
      if (s3.failNext > 0) {
        s3.failNext--;
        throw new Refusal(503, "SlowDown");
      }
      checkSignature(request, body);
      answer(s3, request, body, response);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const code = error.message;
      response.writeHead(error.status).end(`<Error><Code>${code}</Code><Message>no</Message></Error>`);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return Object.assign(s3, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  });
}

class Refusal extends Error {
  readonly status: number;
  constructor(status: number, code: string) {
    super(code);
    this.status = status;
  }
}

function checkSignature(request: IncomingMessage, body: Buffer): void {
  const given =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, SignedHeaders=([a-z0-9;-]+), Signature=([0-9a-f]{64})$/.exec(
      request.headers.authorization ?? "",
    );
  if (given === null) throw new Refusal(403, "AccessDenied");
  const [, id, day, region, names, signature] = given as unknown as string[];
  if (id !== s3Key.accessKey || region !== s3Key.region) throw new Refusal(403, "InvalidAccessKeyId");
  const time = String(request.headers["x-amz-date"]);
  const at = Date.parse(time.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, "$1-$2-$3T$4:$5:$6Z"));
  if (!time.startsWith(String(day)) || !(Math.abs(Date.now() - at) < 900_000))
    throw new Refusal(403, "RequestTimeTooSkewed");
  const digest = sha256(body);
  if (request.headers["x-amz-content-sha256"] !== digest) throw new Refusal(400, "XAmzContentSHA256Mismatch");
  const signed = String(names).split(";");
  for (const needed of ["host", "x-amz-content-sha256", "x-amz-date"])
    if (!signed.includes(needed)) throw new Refusal(403, "AccessDenied");
  const url = new URL(request.url ?? "", "http://x");
  const query = [...url.searchParams]
    .map(([name, value]) => `${encoded(name)}=${encoded(value)}`)
    .sort()
    .join("&");
  const canonical = [
    request.method,
    decodeURIComponent(url.pathname).split("/").map(encoded).join("/"),
    query,
    ...signed.map((name) => `${name}:${String(request.headers[name]).trim()}`),
    "",
    names,
    digest,
  ].join("\n");
  const text = `AWS4-HMAC-SHA256\n${time}\n${day}/${region}/s3/aws4_request\n${sha256(canonical)}`;
  const key = [String(day), String(region), "s3", "aws4_request"].reduce<Buffer | string>(
    (above, word) => createHmac("sha256", above).update(word).digest(),
    `AWS4${s3Key.secret}`,
  );
  if (createHmac("sha256", key).update(text).digest("hex") !== signature)
    throw new Refusal(403, "SignatureDoesNotMatch");
}

function answer(s3: TestS3, request: IncomingMessage, body: Buffer, response: ServerResponse): void {
  const url = new URL(request.url ?? "", "http://x");
  const [, bucket, ...rest] = decodeURIComponent(url.pathname).split("/");
  const key = rest.join("/");
  const words = `${request.method} ${key}${url.search}`;
  s3.seen.push(words);
  if (s3.silentTo(words)) return;
  if (bucket !== s3Key.bucket) throw new Refusal(404, "NoSuchBucket");
  const query = (name: string) => url.searchParams.get(name) ?? undefined;
  const upload = query("uploadId");
  const deed = `${request.method}${key === "" ? " bucket" : ""}${query("uploads") !== undefined ? " uploads" : ""}${upload ? " upload" : ""}`;
  const deeds: Record<string, () => void> = {
    PUT: () => {
      s3.objects.set(key, body);
      response.end();
    },
    GET: () => {
      const object = s3.objects.get(key);
      if (object === undefined) throw new Refusal(404, "NoSuchKey");
      response.end(object);
    },
    DELETE: () => {
      s3.objects.delete(key);
      response.writeHead(204).end();
    },
    "GET bucket": () => response.end(listing(s3, query("prefix") ?? "", query("continuation-token"))),
    "GET bucket uploads": () => {
      const rows = [...s3.uploads].filter(([, one]) => one.key.startsWith(query("prefix") ?? ""));
      const shown = rows.map(
        ([id, one]) => `<Upload><Key>${encoded(one.key)}</Key><UploadId>${id}</UploadId></Upload>`,
      );
      response.end(`<ListMultipartUploadsResult>${shown.join("")}</ListMultipartUploadsResult>`);
    },
    "POST uploads": () => {
      const id = randomUUID();
      s3.uploads.set(id, { key, parts: new Map() });
      response.end(
        `<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`,
      );
    },
    "PUT upload": () => {
      uploadOf(s3, upload, key).parts.set(Number(query("partNumber")), body);
      response.setHeader("etag", `"${md5(body)}"`).end();
    },
    "POST upload": () => {
      s3.objects.set(key, joined(uploadOf(s3, upload, key).parts, body.toString()));
      s3.uploads.delete(String(upload));
      response.end("<CompleteMultipartUploadResult></CompleteMultipartUploadResult>");
    },
    "DELETE upload": () => {
      uploadOf(s3, upload, key);
      s3.uploads.delete(String(upload));
      response.writeHead(204).end();
    },
  };
  const carryOut = deeds[deed];
  if (carryOut === undefined) throw new Refusal(501, "NotImplemented");
  carryOut();
}

function uploadOf(s3: TestS3, id: string | undefined, key: string) {
  const found = s3.uploads.get(id ?? "");
  if (found === undefined || found.key !== key) throw new Refusal(404, "NoSuchUpload");
  return found;
}

/** The parts that were named, in ascending order, each with its tag, all but the last large enough. */
function joined(parts: Map<number, Buffer>, xml: string): Buffer {
  const named = [
    ...xml.matchAll(/<Part><PartNumber>(\d+)<\/PartNumber><ETag>"([0-9a-f]+)"<\/ETag><\/Part>/g),
  ];
  const found = named.map(([, number, tag], index) => {
    const part = parts.get(Number(number));
    if (part === undefined || md5(part) !== tag) throw new Refusal(400, "InvalidPart");
    if (index > 0 && Number(number) <= Number(named[index - 1]?.[1]))
      throw new Refusal(400, "InvalidPartOrder");
    if (index < named.length - 1 && part.length < smallestPart) throw new Refusal(400, "EntityTooSmall");
    return part;
  });
  if (found.length === 0) throw new Refusal(400, "MalformedXML");
  return Buffer.concat(found);
}

function listing(s3: TestS3, prefix: string, token: string | undefined): string {
  const keys = [...s3.objects.keys()].filter((key) => key.startsWith(prefix) && key > (token ?? "")).sort();
  const page = keys.slice(0, pageSize);
  const next = keys.length > pageSize ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>` : "";
  const shown = page.map((key) => `<Contents><Key>${encoded(key)}</Key></Contents>`);
  return `<ListBucketResult>${shown.join("")}${next}</ListBucketResult>`;
}

function encoded(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function sha256(content: Buffer | string): string {
  return createHash("sha256").update(content).digest("hex");
}

function md5(content: Buffer): string {
  return createHash("md5").update(content).digest("hex");
}
