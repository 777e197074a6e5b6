/** What is agreed with engines of other versions; a real one has only its own. */
import { once } from "node:events";
import { createServer } from "node:http";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openBench } from "../../../../tests/harness/bench.ts";
import { EngineAway, openSocket } from "./socket.ts";

/** Answers with the path that it was asked for. */
async function engineOf(version: object): Promise<ReturnType<typeof openSocket>> {
  const path = join(openBench(onTestFinished).folder(), "engine.sock");
  const server = createServer((request, response) => {
    response.statusCode = request.url?.endsWith("/refused") ? 409 : 200;
    response.end(JSON.stringify(request.url === "/version" ? version : { path: request.url, message: "no" }));
  }).listen(path);
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return openSocket(`unix://${path}`);
}

test.for([
  [
    "an older engine is asked in its own version",
    { ApiVersion: "1.41", MinAPIVersion: "1.12" },
    "/v1.41/x?a=1",
  ],
  ["a newer one in the newest we know", { ApiVersion: "1.52", MinAPIVersion: "1.44" }, "/v1.47/x?a=1"],
  ["one that tells no version in the oldest we know", {}, "/v1.40/x?a=1"],
] as const)("%s", async ([, version, path]) => {
  const socket = await engineOf(version);
  expect(await socket.ask("/x", { query: { a: "1" } })).toMatchObject({ path });
});

test.for([
  [{ ApiVersion: "1.24" }, /^Docker speaks version 1\.24 of its API: update it/],
  [{ ApiVersion: "2.1", MinAPIVersion: "2.0" }, /only version 2\.0 of its API or later: update this agent/],
] as const)("one of no version we know is refused with what to do: %o", async ([version, message]) => {
  await expect((await engineOf(version)).ask("/x")).rejects.toThrow(message);
});

test("a refusal is told in the engine's words", async () => {
  const socket = await engineOf({ ApiVersion: "1.41" });
  await expect(socket.ask("/refused", { method: "POST" })).rejects.toThrow(
    "Docker refused POST /refused: no",
  );
});

test("what is not there is away; what is elsewhere is refused", async () => {
  await expect(openSocket("unix:///nowhere.sock").ask("/x")).rejects.toThrow(EngineAway);
  expect(() => openSocket("tcp://10.0.0.1:2375")).toThrow(/of its own host/);
});
