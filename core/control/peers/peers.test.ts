import { connect, constants } from "node:http2";
import { createServer, type Server } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { Code, ConnectError, createClient } from "@connectrpc/connect";
import { createConnectTransport, Http2SessionManager } from "@connectrpc/connect-node";
import { testKeys } from "@reeve/keys/testing";
import { newUid } from "@reeve/model";
import { PeerService } from "@reeve/protocol";
import { announceReplica, type Database, listReplicas } from "@reeve/store";
import { testDatabase } from "@reeve/store/testing";
import { expect, onTestFinished, test, vi } from "vitest";
import { type Authority, openAuthority } from "../authority/authority.ts";
import { type KeyPair, selfSigned } from "../authority/certificate.ts";
import type { Wake } from "../control.ts";
import { openPeers, type Peers } from "./peers.ts";

const log = { info() {}, warn() {}, error() {}, debug() {} };
const nothingElse = { output: [], hurried: false };
const anywhere = { host: "127.0.0.1", port: 0 };

interface TestReplica {
  readonly peers: Peers;
  readonly heard: Wake[];
  replaced: number;
}

const authorities = new WeakMap<Database, Promise<Authority>>();

/** Replicas of one database have one root key. */
function authorityOf(database: Database): Promise<Authority> {
  const known = authorities.get(database);
  const authority = known ?? testKeys(database).then((keys) => openAuthority(database, keys));
  authorities.set(database, authority);
  return authority;
}

async function replica(database: Database, name: string, listen = anywhere): Promise<TestReplica> {
  const heard: Wake[] = [];
  const me: TestReplica = {
    heard,
    replaced: 0,
    peers: await openPeers({
      database,
      me: { name, session: newUid() },
      roles: ["api"],
      version: "test",
      listen,
      authority: await authorityOf(database),
      onWake: (wake) => heard.push(wake),
      openTunnel: () => Promise.reject(new Error("no agent is connected here")),
      onReplaced: () => {
        me.replaced++;
      },
      log,
      tickMs: 100,
    }),
  };
  onTestFinished(() => me.peers.close());
  return me;
}

/** Calls a replica's door with a certificate of one's own choice. */
async function wakeAs(pair: KeyPair | undefined, address: string): Promise<unknown> {
  const connection = new Http2SessionManager(
    `https://${address}`,
    {},
    { ...pair, rejectUnauthorized: false },
  );
  onTestFinished(() => connection.abort());
  const transport = createConnectTransport({
    baseUrl: `https://${address}`,
    httpVersion: "2",
    sessionManager: connection,
  });
  return createClient(PeerService, transport)
    .wake({ buckets: [1], revision: 1n }, { timeoutMs: 2000 })
    .then(
      () => "served",
      (error: unknown) => ConnectError.from(error).code,
    );
}

test("a wake reaches the other replica, in both directions", async () => {
  const { database } = await testDatabase();
  const a = await replica(database, "a");
  const b = await replica(database, "b");
  await vi.waitFor(() => expect(b.peers.links()).toMatchObject([{ name: "a", state: "connected" }]), 60_000);
  await vi.waitFor(() => expect(a.peers.links()).toMatchObject([{ name: "b", state: "connected" }]), 60_000);
  const more = { output: ["run"], hurried: true };
  b.peers.wake({ buckets: [3, 60], revision: 812, forget: ["u1"], runs: false, ...more });
  a.peers.wake({ buckets: [], revision: 813, forget: [], runs: false, ...nothingElse });
  await vi.waitFor(
    () =>
      expect(a.heard).toEqual([{ buckets: [3, 60], revision: 812, forget: ["u1"], runs: false, ...more }]),
    60_000,
  );
  await vi.waitFor(
    () => expect(b.heard).toEqual([{ buckets: [], revision: 813, forget: [], runs: false, ...nothingElse }]),
    60_000,
  );
});

test("many wakes at once become few: none of their buckets is lost, and the newest revision arrives", async () => {
  const { database } = await testDatabase();
  const a = await replica(database, "a");
  const b = await replica(database, "b");
  await vi.waitFor(() => expect(b.peers.links()).toMatchObject([{ state: "connected" }]), 60_000);
  for (let n = 1; n <= 1000; n++)
    b.peers.wake({ buckets: [n % 64], revision: n, forget: [], runs: false, ...nothingElse });
  await vi.waitFor(() => expect(a.heard.at(-1)?.revision).toBe(1000), 60_000);
  expect(new Set(a.heard.flatMap((wake) => wake.buckets)).size).toBe(64);
  expect(a.heard.length).toBeLessThan(20);
});

test("strangers are refused: no certificate, one of their own, and one that was a replica's until it withdrew", async () => {
  const { database } = await testDatabase();
  const a = await replica(database, "a");
  const stranger = selfSigned("reeve-replica-b", [], 1);
  expect(await wakeAs(undefined, a.peers.address)).toBe(Code.Unauthenticated);
  expect(await wakeAs(stranger, a.peers.address)).toBe(Code.Unauthenticated);

  const announced = {
    name: "b",
    session: newUid(),
    peerAddress: "127.0.0.1:1",
    certificate: stranger.cert,
    roles: [],
    version: "test",
  };
  await announceReplica(database, announced);
  await vi.waitFor(async () => expect(await wakeAs(stranger, a.peers.address)).toBe("served"), 60_000);
  expect(a.heard).toEqual([{ buckets: [1], revision: 1, forget: [], runs: false, ...nothingElse }]);

  await database.query("delete from replica where name = 'b'");
  await vi.waitFor(async () => expect(await wakeAs(stranger, a.peers.address)).toBe(Code.Unauthenticated), {
    timeout: 60_000,
    interval: 200,
  });
});

test("a replica that has not been seen for long is a stranger again", async () => {
  const { database } = await testDatabase();
  const a = await replica(database, "a");
  const pair = selfSigned("b", [], 1);
  await announceReplica(database, {
    name: "b",
    session: newUid(),
    peerAddress: "127.0.0.1:1",
    certificate: pair.cert,
    roles: [],
    version: "test",
  });
  await database.query("update replica set seen_at = now() - interval '11 seconds' where name = 'b'");
  await sleep(300);
  expect(await wakeAs(pair, a.peers.address)).toBe(Code.Unauthenticated);
});

test("a peer that answers with another certificate than it announced hears nothing", async () => {
  const { database } = await testDatabase();
  const b = await replica(database, "b");
  const other = selfSigned("b", [], 1);
  await database.query("update replica set certificate = $1 where name = 'b'", [other.cert]);
  const a = await replica(database, "a");
  await vi.waitFor(() => expect(a.peers.links()[0]?.failuresInARow).toBeGreaterThan(0), 60_000);
  a.peers.wake({ buckets: [1], revision: 1, forget: [], runs: false, ...nothingElse });
  await sleep(200);
  expect(b.heard).toEqual([]);
  expect(a.peers.links()).toMatchObject([{ name: "b", wakesSent: 0 }]);
});

test("a dead peer and a silent one do not delay wakes to a living one", async () => {
  const { database } = await testDatabase();
  const silent = await silentServer();
  const dead = { roles: [], version: "test", certificate: selfSigned("x", [], 1).cert };
  await announceReplica(database, { ...dead, name: "dead", session: newUid(), peerAddress: "127.0.0.1:1" });
  await announceReplica(database, { ...dead, name: "silent", session: newUid(), peerAddress: silent });
  const a = await replica(database, "a");
  const b = await replica(database, "b");
  await vi.waitFor(() => expect(b.peers.links()).toHaveLength(3), 60_000);
  await vi.waitFor(
    () => expect(b.peers.links().find((link) => link.name === "a")).toMatchObject({ state: "connected" }),
    60_000,
  );
  for (let n = 1; n <= 20; n++) {
    b.peers.wake({ buckets: [], revision: n, forget: [], runs: false, ...nothingElse });
    await vi.waitFor(() => expect(a.heard.at(-1)?.revision).toBe(n), { timeout: 60_000, interval: 2 });
  }
  await vi.waitFor(
    () => expect(b.peers.links().find((link) => link.name === "silent")?.failuresInARow).toBeGreaterThan(0),
    60_000,
  );
});

test("a replica that comes back under its name is linked anew", async () => {
  const { database } = await testDatabase();
  const a = await replica(database, "a");
  const first = await replica(database, "b");
  await vi.waitFor(() => expect(a.peers.links()).toMatchObject([{ state: "connected" }]), 60_000);
  await first.peers.close();
  await vi.waitFor(() => expect(a.peers.links()).toEqual([]), 60_000);
  const second = await replica(database, "b");
  await vi.waitFor(() => expect(a.peers.links()).toMatchObject([{ state: "connected" }]), 60_000);
  a.peers.wake({ buckets: [7], revision: 9, forget: [], runs: false, ...nothingElse });
  await vi.waitFor(
    () =>
      expect(second.heard).toEqual([{ buckets: [7], revision: 9, forget: [], runs: false, ...nothingElse }]),
    60_000,
  );
});

test("who loses the name is told once; who only lost the row comes back", async () => {
  const { database } = await testDatabase();
  const a = await replica(database, "a");
  await database.query("delete from replica where name = 'a'");
  await vi.waitFor(
    async () => expect(await listReplicas(database)).toMatchObject([{ name: "a", live: true }]),
    60_000,
  );
  expect(a.replaced).toBe(0);
  const b = await replica(database, "a");
  await vi.waitFor(() => expect(a.replaced).toBe(1), 60_000);
  await sleep(300);
  expect([a.replaced, b.replaced]).toEqual([1, 0]);
  await a.peers.close();
  expect(await listReplicas(database)).toHaveLength(1);
});

test("a taken address stops the start and names the setting", async () => {
  const { database } = await testDatabase();
  const taken = await silentServer();
  const port = Number(taken.split(":")[1]);
  await expect(replica(database, "a", { host: "127.0.0.1", port })).rejects.toThrow(
    `cannot listen on ${taken}: another program uses it already; set REEVE_AGENT_LISTEN`,
  );
  expect(await listReplicas(database)).toEqual([]);
});

test("the port speaks nothing older than TLS 1.3", async () => {
  const { database } = await testDatabase();
  const a = await replica(database, "a");
  const session = connect(`https://${a.peers.address}`, { rejectUnauthorized: false, maxVersion: "TLSv1.2" });
  const error = await new Promise((resolve) =>
    session.on("error", resolve).on("connect", () => resolve("connected")),
  );
  expect(String(error)).toMatch(/protocol version/);
  session.destroy(undefined, constants.NGHTTP2_NO_ERROR);
});

/** Accepts connections and says nothing, like a machine that hangs. */
async function silentServer(): Promise<string> {
  const sockets: { destroy(): void }[] = [];
  const server: Server = createServer((socket) => sockets.push(socket.on("error", () => {})));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `127.0.0.1:${(server.address() as { port: number }).port}`;
}
