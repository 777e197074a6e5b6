import { type Client, createClient, type Interceptor } from "@connectrpc/connect";
import {
  createConnectTransport,
  createGrpcTransport,
  createGrpcWebTransport,
} from "@connectrpc/connect-node";
import { testKeys } from "@reeve/keys/testing";
import { baseStatus, type Caller, defineKind, newUid, yes } from "@reeve/model";
import { ResourceService } from "@reeve/protocol";
import { defaultRetention } from "@reeve/store";
import { testDatabase } from "@reeve/store/testing";
import { onTestFinished } from "vitest";
import { z } from "zod";
import { type Control, describeModel, startControl } from "../../control.ts";
import type { ControlArea } from "../../controller.ts";
import { openLimiter } from "../../guard/limiter.ts";
import { openTurns } from "../../guard/turns.ts";
import { openGate } from "../gate.ts";
import { listen } from "../listen.ts";
import { connectDoor } from "./door.ts";

const Note = defineKind({
  name: "Note",
  plural: "notes",
  shortNames: [],
  summary: "A note.",
  levels: ["installation"],
  spec: z.strictObject({
    text: z.string().min(1),
    size: z.number().optional(),
    more: z.unknown().optional(),
  }),
  status: baseStatus,
  fields: ["spec.text"],
  columns: [],
  actions: {
    shout: {
      summary: "Says it.",
      input: z.strictObject({ times: z.number() }),
      output: z.unknown(),
      can: () => yes,
    },
    trip: { summary: "Fails.", input: z.unknown(), output: z.unknown(), can: () => yes },
  },
  example: "",
});

const { registry, roles } = describeModel([Note]);

function callerNamed(name: string, role: "owner" | "viewer"): Caller {
  const grants = [{ scope: "", role: roles[role] as NonNullable<(typeof roles)[string]>, binding: "test" }];
  return {
    subject: { kind: "User", scope: "", name, uid: `uid-${name}` },
    via: { kind: "token", id: "t" },
    grants,
  };
}

const callers = new Map([
  ["token-of-olga", callerNamed("olga", "owner")],
  ["token-of-vera", callerNamed("vera", "viewer")],
]);

const notes: ControlArea = {
  name: "notes",
  controllers: [
    {
      kind: "Note",
      actions: {
        shout: async ({ resource, input }) => ({
          output: () =>
            String(resource.spec.text)
              .toUpperCase()
              .repeat((input as { times: number }).times),
        }),
        trip: async () => {
          throw new TypeError("the secret inside");
        },
      },
    },
  ],
  identity: () => ({
    identify: async ({ secret }) => callers.get(secret),
    concerned: () => new Set<string>(),
    forget() {},
  }),
  enrolment: () => ({
    join: () => Promise.reject(new Error("no agents here")),
    renewsAfterRestore: async () => {},
    cloned: async () => {},
    tokensSince: async () => 0,
  }),
};

export interface TestDoor {
  readonly url: string;
  readonly control: Control;
  /** What was logged as an error. */
  readonly errors: object[];
  client(protocol: keyof typeof transports, token?: string): Client<typeof ResourceService>;
}

/** A real database, the core, and the door on a real port that speaks HTTP/1.1 and HTTP/2. */
export async function testDoor(): Promise<TestDoor> {
  const { database } = await testDatabase();
  const errors: object[] = [];
  const log = { info() {}, warn() {}, debug() {}, error: (detail: object) => errors.push(detail) };
  const replica = { name: "test", session: newUid() };
  const retention = defaultRetention;
  const areas = [notes];
  const control = await startControl({
    database,
    keys: await testKeys(database),
    registry,
    roles,
    areas,
    replica,
    works: false,
    logBytesPerSecond: 1e9,
    agentLeaseMs: 30_000,
    retention,
    recordTerminals: false,
    auditHeads: {},
    log,
    publicUrl: () => "http://localhost",
  });
  const limits = { anonymousPerMinute: 1000, signedInPerMinute: 100_000, watchesPerMinute: 1000 };
  const { identity } = control.context;
  const gate = openGate({
    identity,
    limiter: openLimiter(),
    turns: openTurns(),
    publicUrl: "http://localhost",
    trustedProxies: [],
    limits,
    readsAtOnce: 6,
    recordRefused: async () => {},
  });
  const handler = connectDoor(control.context, gate);
  const listener = await listen({ host: "127.0.0.1", port: 0, setting: "", proxies: [], handler });
  onTestFinished(async () => {
    control.context.hub.close();
    await listener.close(200);
    await control.stop();
  });
  const url = `http://127.0.0.1:${listener.port}`;
  return {
    url,
    control,
    errors,
    client: (protocol, token = "token-of-olga") =>
      createClient(ResourceService, transports[protocol](url, token === "" ? [] : [bearer(token)])),
  };
}

export const transports = {
  "Connect with JSON over HTTP/1.1": (baseUrl: string, interceptors: Interceptor[]) =>
    createConnectTransport({ baseUrl, httpVersion: "1.1", useBinaryFormat: false, interceptors }),
  "Connect over HTTP/2": (baseUrl: string, interceptors: Interceptor[]) =>
    createConnectTransport({ baseUrl, httpVersion: "2", useBinaryFormat: true, interceptors }),
  gRPC: (baseUrl: string, interceptors: Interceptor[]) => createGrpcTransport({ baseUrl, interceptors }),
  "gRPC-web": (baseUrl: string, interceptors: Interceptor[]) =>
    createGrpcWebTransport({ baseUrl, httpVersion: "1.1", interceptors }),
};

function bearer(token: string): Interceptor {
  return (next) => (request) => {
    request.header.set("authorization", `Bearer ${token}`);
    return next(request);
  };
}

export function note(name: string, text: string, more: Record<string, string> = {}) {
  return { apiVersion: "reeve/v1", kind: "Note", metadata: { name, labels: more }, spec: { text } };
}

export function noteAt(name: string) {
  return { kind: "Note", scope: "", name };
}
