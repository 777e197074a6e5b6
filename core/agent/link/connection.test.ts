import { type AddressInfo, createConnection, createServer, type Socket } from "node:net";
import { LogStream } from "@reeve/protocol/agent";
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { hostFacts } from "../facts.ts";
import { testControlPlane } from "../testing.ts";
import { openConnection } from "./connection.ts";
import { enrol } from "./enrol.ts";
import { dialAs } from "./trust.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] }));
afterEach(() => void vi.useRealTimers());

/** A way to a port that can fall silent without a word, as one whose router has forgotten it. */
async function silentWay(target: number) {
  const sockets = new Set<Socket>();
  let silent = false;
  let answered = 0;
  const front = createServer((near) => {
    const far = createConnection(target, "127.0.0.1");
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.on("error", () => {}).on("close", () => to.destroy());
      from.on("data", (bytes) => silent || to.write(bytes));
    }
    far.on("data", () => answered++);
  });
  await new Promise<void>((resolve) => front.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    front.close();
    for (const socket of sockets) socket.destroy();
  });
  return {
    url: `https://127.0.0.1:${(front.address() as AddressInfo).port}`,
    fallSilent: () => (silent = true),
    get answered() {
      return answered;
    },
    get open() {
      return [...sockets].filter((socket) => !socket.destroyed).length;
    },
  };
}

test("a connection that has fallen silent is lost, and nothing of it is left; one that only says nothing is not", async () => {
  const plane = await testControlPlane();
  const facts = hostFacts("1.2.3", ["noop"]);
  const identity = await enrol({ urls: [plane.url], token: plane.token, name: "web-1", labels: {}, facts });
  const way = await silentWay(Number(new URL(plane.url).port));
  const { client, close } = openConnection(dialAs(identity, way.url));
  onTestFinished(close);
  async function* oneChunk() {
    yield { chunks: [{ attempt: { run: "r", seq: 1, epoch: 1 }, stream: LogStream.STDOUT }] };
    await new Promise(() => {});
  }
  const answers = client.logs(oneChunk())[Symbol.asyncIterator]();
  expect((await answers.next()).value).toMatchObject({ heard: [{ durable: 0n }] });
  const lost = answers.next().then(
    () => "answered",
    (error: Error) => error.message,
  );
  // Each answer to a ping comes before the next look.
  for (let looks = 0; looks < 3; looks++) {
    const before = way.answered;
    vi.advanceTimersByTime(10_000);
    await expect.poll(() => way.answered).toBeGreaterThan(before);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  expect(await Promise.race([lost, Promise.resolve("not lost")])).toBe("not lost");
  way.fallSilent();
  vi.advanceTimersByTime(10_000);
  vi.advanceTimersByTime(10_000);
  expect(await lost).toContain("nothing was heard for 10 s");
  await expect.poll(() => way.open).toBe(0);
});
