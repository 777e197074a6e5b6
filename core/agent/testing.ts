import { execFileSync } from "node:child_process";
import { createHash, X509Certificate } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createSecureServer, type Http2ServerRequest, type ServerHttp2Session } from "node:http2";
import type { AddressInfo, Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TLSSocket } from "node:tls";
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError, createContextKey, createContextValues } from "@connectrpc/connect";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import { writeJoinToken } from "@reeve/model/join-token";
import {
  AgentService,
  type ControlRequest,
  ControlResponseSchema,
  type HostFacts,
  Ruling,
} from "@reeve/protocol/agent";
import { ProblemSchema } from "@reeve/protocol/problem";
import { expect, onTestFinished } from "vitest";

export type Said = NonNullable<MessageInitShape<typeof ControlResponseSchema>["message"]>;

/** One Control stream, as a test sees it from the control plane's side. */
export interface TestStream {
  readonly heard: ControlRequest["message"][];
  readonly fingerprint: string | undefined;
  readonly bearer: string | null;
  say(message: Said): void;
  /** Ends it without a farewell, as a replica that dies. */
  cut(): void;
}

/** A control plane of a few lines: its certificates are openssl's, its AgentService does what the test says. */
export interface TestControlPlane {
  readonly url: string;
  readonly token: string;
  readonly streams: TestStream[];
  readonly enrolled: { name: string; labels: Record<string, string>; facts: HostFacts | undefined }[];
  renewals: number;
  beatMs: number;
  /** How long identities last. */
  lifeMs: number;
  /** Refuses everything that carries an identity. */
  refuse: Code | undefined;
  /** Refuses every life line, until its agent renews. */
  refuseUntilRenewed: Code | undefined;
  /** A proxy on the way answers everything with this status, and a page. */
  proxyStatus: number | undefined;
  /** What it was asked meanwhile: the paths. */
  readonly proxied: string[];
  /** Answers each message by itself; undefined leaves it to the test. */
  answer: (message: ControlRequest["message"], stream: TestStream) => void;
  /** What agents may fetch, by name. */
  readonly files: Map<string, string>;
  readonly connections: number;
  stop(): Promise<void>;
  start(): Promise<void>;
}

export function scratch(): string {
  const folder = mkdtempSync(join(tmpdir(), "reeve-agent-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const identityOf = createContextKey<{ fingerprint?: string | undefined }>({});

/** `from` shares the authority: another replica of the same installation. */
export async function testControlPlane(from?: {
  readonly folder: string;
}): Promise<TestControlPlane & { folder: string }> {
  const folder = from?.folder ?? scratch();
  const authority = testAuthority(folder);
  const sessions = new Set<ServerHttp2Session>();
  // Also those that are not a session yet: a stop would wait for them.
  const sockets = new Set<Socket>();
  let port = 0;
  let server: ReturnType<typeof createSecureServer>;
  let bearers = 0;

  const plane: TestControlPlane & { folder: string } = {
    folder,
    get url() {
      return `https://127.0.0.1:${port}`;
    },
    token: writeJoinToken({ id: "018f", secret: "open_sesame", pin: authority.pin }),
    streams: [],
    enrolled: [],
    renewals: 0,
    beatMs: 1000,
    lifeMs: 86_400_000,
    refuse: undefined,
    refuseUntilRenewed: undefined,
    proxyStatus: undefined,
    proxied: [],
    answer: (message, stream) => answerAll(message, stream, plane.beatMs),
    files: new Map(),
    get connections() {
      return sessions.size;
    },
    async start() {
      server = createSecureServer(
        { ...authority.server, requestCert: true, rejectUnauthorized: false, minVersion: "TLSv1.3" },
        (request, response) => {
          if (plane.proxyStatus === undefined) return handler(request, response);
          plane.proxied.push(request.url);
          response.writeHead(plane.proxyStatus, { "content-type": "text/html" });
          response.end("<h1>Not now</h1>");
        },
      );
      server.on("connection", (socket: Socket) => {
        sockets.add(socket);
        socket.on("close", () => sockets.delete(socket));
      });
      server.on("session", (session) => {
        sessions.add(session);
        session.on("close", () => sessions.delete(session));
        session.on("error", () => {});
      });
      await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
      port = (server.address() as AddressInfo).port;
    },
    async stop() {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const session of sessions) session.destroy();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };

  function identity(signingRequest: Uint8Array) {
    const expiresAt = timestampFromMs(Date.now() + plane.lifeMs);
    if (signingRequest.length === 0) return { bearer: `bearer-${++bearers}`, expiresAt };
    return { certificate: authority.sign(signingRequest), authority: authority.certificate, expiresAt };
  }

  const handler = connectNodeAdapter({
    contextValues: (request) =>
      createContextValues().set(identityOf, {
        fingerprint: ((request as Http2ServerRequest).socket as TLSSocket).getPeerX509Certificate()
          ?.fingerprint256,
      }),
    routes: (router) =>
      router.service(AgentService, {
        enrol({ token, name, labels, facts, signingRequest }) {
          if (token !== plane.token) throw new ConnectError("this token is not known", Code.Unauthenticated);
          plane.enrolled.push({ name, labels, facts });
          return { hostUid: "h1", name, identityGeneration: 1, ...identity(signingRequest) };
        },
        renew({ signingRequest, identityGeneration }) {
          if (plane.refuse) throw refusal("not known", plane.refuse);
          plane.renewals++;
          plane.refuseUntilRenewed = undefined;
          return { identityGeneration: identityGeneration + 1, ...identity(signingRequest) };
        },
        async *logs(requests) {
          for await (const { chunks } of requests)
            yield {
              heard: chunks.map(({ attempt, stream, offset, data, endSha256 }) => ({
                ...(attempt ? { attempt } : {}),
                stream,
                durable: offset + BigInt(data.length),
                ended: endSha256.length > 0,
              })),
            };
        },
        async *fetch({ name }) {
          const content = plane.files.get(name);
          if (content === undefined) throw refusal(`there is no ${name}`, Code.NotFound);
          yield { data: Buffer.from(content) };
        },
        async *control(requests, context) {
          if (plane.refuse) throw refusal("this agent was revoked", plane.refuse);
          if (plane.refuseUntilRenewed) throw refusal("not with this identity", plane.refuseUntilRenewed);
          const { fingerprint } = context.values.get(identityOf);
          const queue: Said[] = [];
          let wake = () => {};
          let over = false;
          const stream: TestStream = {
            heard: [],
            fingerprint,
            bearer: context.requestHeader.get("authorization"),
            say(message) {
              queue.push(message);
              wake();
            },
            cut() {
              over = true;
              wake();
            },
          };
          plane.streams.push(stream);
          void (async () => {
            for await (const { message } of requests) {
              stream.heard.push(message);
              plane.answer(message, stream);
              if (message.case === "leave") stream.cut();
            }
          })().catch(() => stream.cut());
          for (;;) {
            const message = queue.shift();
            if (message !== undefined) yield create(ControlResponseSchema, { message });
            else if (over) return;
            else await new Promise<void>((resolve) => (wake = resolve));
          }
        },
      }),
  });
  await plane.start();
  onTestFinished(() => plane.stop());
  return plane;
}

/** As our server says it: with a Problem. */
function refusal(detail: string, code: Code): ConnectError {
  return new ConnectError(detail, code, {}, [{ desc: ProblemSchema, value: { detail } }]);
}

/** Welcomes, hears beats, and rules that everything is well. */
export function answerAll(message: ControlRequest["message"], stream: TestStream, beatMs = 1000): void {
  if (message.case === "hello") stream.say({ case: "welcome", value: { leaseMs: 30_000, beatMs } });
  if (message.case === "beat")
    stream.say({ case: "beatHeard", value: { number: message.value.number, leaseMs: 30_000 } });
  if (message.case !== "accepts" && message.case !== "finishes") return;
  const onFinish = message.case === "finishes";
  const keys = onFinish
    ? message.value.finishes.flatMap(({ attempt }) => attempt ?? [])
    : message.value.attempts;
  const verdicts = keys.map((attempt) => ({ attempt, ruling: Ruling.OK, onFinish }));
  stream.say({ case: "verdicts", value: { verdicts } });
}

/** Waits until a stream number `at` is there, and welcomed. */
export async function streamAt(plane: TestControlPlane, at: number): Promise<TestStream> {
  await expect.poll(() => plane.streams[at]?.heard.length ?? 0).toBeGreaterThan(0);
  return plane.streams[at] as TestStream;
}

function testAuthority(folder: string) {
  const file = (name: string) => join(folder, name);
  const openssl = (...args: string[]) =>
    execFileSync("openssl", args, { cwd: folder, stdio: ["ignore", "pipe", "pipe"] });
  const ec = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];
  const read = (name: string) => readFileSync(file(name), "utf8");
  const made = (() => {
    try {
      return read("ca.pem") !== "";
    } catch {
      return false;
    }
  })();
  if (!made)
    openssl(
      "req",
      "-x509",
      ...ec,
      "-keyout",
      "ca.key",
      "-out",
      "ca.pem",
      "-subj",
      "/CN=authority",
      "-days",
      "2",
    );
  const number = Math.random().toString(36).slice(2);
  const issue = (request: string, out: string, usage: string) => {
    writeFileSync(
      file("usage"),
      `extendedKeyUsage=${usage}\nbasicConstraints=critical,CA:false\nsubjectAltName=IP:127.0.0.1\n`,
    );
    openssl(
      "x509",
      "-req",
      "-in",
      request,
      "-CA",
      "ca.pem",
      "-CAkey",
      "ca.key",
      "-days",
      "1",
      "-extfile",
      "usage",
      "-out",
      out,
    );
    return read(out);
  };
  openssl("req", ...ec, "-keyout", `${number}.key`, "-out", `${number}.csr`, "-subj", "/CN=replica");
  const certificate = read("ca.pem");
  return {
    certificate,
    pin: createHash("sha256")
      .update(new X509Certificate(certificate).publicKey.export({ type: "spki", format: "der" }))
      .digest("base64url"),
    server: {
      cert: issue(`${number}.csr`, `${number}.pem`, "serverAuth") + certificate,
      key: read(`${number}.key`),
    },
    sign(request: Uint8Array): string {
      writeFileSync(file("agent.der"), request);
      openssl("req", "-inform", "DER", "-in", "agent.der", "-verify", "-out", "agent.csr");
      return issue("agent.csr", "agent.pem", "clientAuth");
    },
  };
}
