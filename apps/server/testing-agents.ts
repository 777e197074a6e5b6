import { randomUUID } from "node:crypto";
import type { SecureClientSessionOptions } from "node:http2";
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { type Client, ConnectError, createClient } from "@connectrpc/connect";
import { createConnectTransport, Http2SessionManager } from "@connectrpc/connect-node";
import { testSigningRequest } from "@reeve/control/testing";
import { newUid } from "@reeve/model";
import {
  AgentService,
  type ControlRequest,
  ControlRequestSchema,
  type ControlResponse,
  type EnrolResponse,
} from "@reeve/protocol";
import { openRuns } from "@reeve/runs";
import type { Database } from "@reeve/store";
import { onTestFinished, vi } from "vitest";
import type { TestServer } from "./testing.ts";

export type AgentClient = Client<typeof AgentService>;

export interface TestIdentity {
  readonly key: string;
  readonly answer: EnrolResponse;
}

/** Links of tests do not beat: settings of a server that does not lose them while a busy machine takes its time. */
export const patientWithLinks = { REEVE_AGENT_LEASE_SECONDS: "600" };

/** The address of a server's agents' port. */
export async function agentsAddress({ database }: Pick<TestServer, "database">): Promise<string> {
  const [row] = await database.query<{ address: string }>(
    "select peer_address as address from replica limit 1",
  );
  return row?.address ?? "";
}

/** Calls the agents' port over TLS, with or without a certificate. */
export function agentClient(
  address: string,
  tls: SecureClientSessionOptions = {},
  bearer?: string,
): AgentClient {
  const url = address.includes("://") ? address : `https://${address}`;
  const sessionManager = new Http2SessionManager(url, {}, { rejectUnauthorized: false, ...tls });
  onTestFinished(() => sessionManager.abort());
  return createClient(
    AgentService,
    createConnectTransport({
      baseUrl: url,
      httpVersion: "2",
      sessionManager,
      useBinaryFormat: true,
      interceptors: bearer
        ? [
            (next) => (request) => {
              request.header.set("authorization", `Bearer ${bearer}`);
              return next(request);
            },
          ]
        : [],
    }),
  );
}

export function clientOf(address: string, { key, answer }: TestIdentity): AgentClient {
  return agentClient(address, { key, cert: answer.certificate });
}

/** A join token's text, made as a person would. */
export async function joinToken(
  server: TestServer,
  spec: object = {},
  scope = "",
): Promise<{ name: string; text: string }> {
  const name = `t-${randomUUID().slice(0, 8)}`;
  const [organization, project] = scope.split("/");
  const place = [
    organization ? `/organizations/${organization}` : "",
    project ? `/projects/${project}` : "",
  ].join("");
  const made = await server.call("POST", `${place}/jointokens`, {
    body: { apiVersion: "reeve/v1", kind: "JoinToken", metadata: { scope, name }, spec },
  });
  if (made.status !== 201) throw new Error(JSON.stringify(made.body));
  const issued = await server.call("POST", `${place}/jointokens/${name}/actions/issue`, { body: {} });
  if (issued.status !== 200) throw new Error(JSON.stringify(issued.body));
  return { name, text: issued.body.output?.token ?? issued.body.token };
}

export async function join(address: string, token: string, name: string): Promise<TestIdentity> {
  const { key, request } = testSigningRequest();
  const answer = await agentClient(address).enrol({
    token,
    name,
    signingRequest: request,
    facts: { os: "linux", arch: "x64", hostname: name, agentVersion: "test", executors: ["noop"] },
  });
  return { key, answer };
}

/** The code of a refusal. */
export async function refusalOf(call: Promise<unknown>): Promise<ConnectError> {
  const error = await call.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (error === undefined) throw new Error("it was not refused");
  return ConnectError.from(error);
}

/** One agent's life line: what it says goes out, what it hears is kept. */
export interface Lifeline {
  readonly heard: ControlResponse[];
  readonly session: string;
  /** How the stream ended; undefined while it lasts. */
  readonly ended: Promise<ConnectError | "ended">;
  say(message: MessageInitShape<typeof ControlRequestSchema>["message"]): void;
  /** The first thing heard of this sort that is kept or comes. */
  hear<Case extends Heard["case"]>(name: Case): Promise<Extract<Heard, { case: Case }>["value"]>;
  hangUp(): void;
}

type Heard = Extract<ControlResponse["message"], { case: string }>;

export function lifeline(client: AgentClient, session: string = randomUUID()): Lifeline {
  const heard: ControlResponse[] = [];
  const leaving = new AbortController();
  const out: ControlRequest[] = [];
  let ring = () => {};
  async function* requests() {
    for (;;) {
      while (out.length > 0) yield out.shift() as ControlRequest;
      await new Promise<void>((resolve) => {
        ring = resolve;
      });
    }
  }
  async function listen(): Promise<ConnectError | "ended"> {
    try {
      for await (const message of client.control(requests(), { signal: leaving.signal })) heard.push(message);
      return "ended";
    } catch (error) {
      return ConnectError.from(error);
    }
  }
  return {
    heard,
    session,
    ended: listen(),
    say(message) {
      out.push(create(ControlRequestSchema, { message } as never));
      ring();
    },
    hear: (name) =>
      vi.waitFor(
        () => {
          const at = heard.findIndex((one) => one.message.case === name);
          if (at < 0) throw new Error(`nothing of ${name} was heard`);
          return heard.splice(at, 1)[0]?.message.value as never;
        },
        { timeout: 60_000, interval: 10 },
      ),
    hangUp: () => leaving.abort(),
  };
}

/** Says hello and waits for the welcome. */
export async function connected(
  client: AgentClient,
  more: { session?: string; slots?: number; inventory?: { run: string; seq: number; epoch: number }[] } = {},
): Promise<Lifeline> {
  const line = lifeline(client, more.session);
  const facts = { os: "linux", arch: "x64", agentVersion: "test", executors: ["noop"] };
  const { slots = 4, inventory = [] } = more;
  line.say({ case: "hello", value: { session: line.session, facts, slots, inventory } } as never);
  await line.hear("welcome");
  return line;
}

/** Runs without a workflow, made by an engine beside the server's. */
export function sideEngine(database: Database): (steps: number) => Promise<string> {
  const runs = openRuns({
    database,
    replica: "side",
    works: true,
    log: { info() {}, warn() {} },
    hooks: {
      secrets: async (_, value) => ({ value, hide: [] }),
      draft: async () => {
        throw new Error("no sub-runs here");
      },
      make: async () => {
        throw new Error("no resources here");
      },
      admitted: async () => {},
      ended: async () => {},
    },
    tellPeers: () => {},
  });
  onTestFinished(() => runs.stop());
  return async (count) => {
    const id = newUid();
    const steps = Array.from({ length: count }, (_, n) => ({
      name: `step-${n}`,
      needs: [],
      rule: "all-succeeded" as const,
      body: { does: "execute" as const, executor: "noop", with: {} },
    }));
    await database.transact((sql) =>
      runs.admit(sql, [
        {
          id,
          scope: "acme",
          about: { kind: "Workflow", name: "test", uid: newUid(), generation: 1 },
          graph: { steps },
          inputs: {},
          cause: "person",
          by: "user:ada",
        },
      ]),
    );
    return id;
  };
}
