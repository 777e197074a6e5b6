import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { testServer } from "./testing.ts";
import { openFollow, openTestLog } from "./testing-logs.ts";

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

test("a log is followed on any replica while it is written, from the beginning, from an event and from an offset", async () => {
  const one = await testServer();
  const two = await testServer({ share: one });
  const log = await openTestLog(one.database);
  await log.write("stdout", "first\n");
  const follows = await Promise.all(
    [one, two].map((server) => openFollow(server, `/runs/${log.run}/logs?follow=true`)),
  );
  for (const { text } of follows) await expect.poll(text).toBe("first\n");
  await log.write("stderr", "oh\n", { end: true });
  await log.write("stdout", "second\n", { end: true });
  for (const { text } of follows) await expect.poll(text).toBe("first\noh\nsecond\n");
  await log.endRun();
  for (const { heard, over } of follows) {
    await over;
    const told = heard.map(({ event, data }) => `${event} ${data.stream ?? ""}`);
    expect(told.filter((one) => one.startsWith("piece"))).toEqual([
      "piece stdout",
      "piece stderr",
      "piece stdout",
    ]);
    // That stderr has ended may be told before stdout goes on.
    expect(told.filter((one) => one.startsWith("ended")).sort()).toEqual(["ended stderr", "ended stdout"]);
    expect([told.length, told.at(-1)]).toEqual([6, "done "]);
    expect(heard[0]?.data).toMatchObject({ seq: 0, step: "hello", attempt: 2, offset: 0 });
    const end = heard.find(({ event, data }) => event === "ended" && data.stream === "stdout");
    expect(end?.data).toMatchObject({ bytes: 13, sha256: sha256("first\nsecond\n") });
  }
  const again = await openFollow(two, `/runs/${log.run}/logs?follow=true`, { "last-event-id": "1" });
  await again.over;
  expect(again.text()).toBe("oh\nsecond\n");
  const from = await openFollow(two, `/runs/${log.run}/steps/0/logs?follow=true&stream=stdout&offset=3`);
  await from.over;
  expect(from.text()).toBe("st\nsecond\n");
  expect(from.heard[0]?.data.offset).toBe(3);
});

test("what has ended is read as text, as bytes from an offset, and as an archive of all", async () => {
  const server = await testServer();
  const log = await openTestLog(server.database);
  const binary = Buffer.from([0xff, 0xfe, 0x00, 0x41]);
  await log.write("stdout", "one\ntw");
  await log.write("stderr", "warn\n", { end: true });
  await log.write("stdout", "o\n");
  await log.write("stdout", binary, { end: true, gap: [100, "the log is over its cap"] });
  await log.endRun();
  const path = `/runs/${log.run}/steps/0/logs`;
  const of = async (query: string) => (await server.call("GET", `${path}?${query}`)).body;
  expect(await of("stream=stderr")).toBe("warn\n");
  expect(await of("stream=stdout&offset=1&format=text")).toMatch(
    /^ne\ntwo\n\n\[reeve: 100 bytes are missing: the log is over its cap\]\n/,
  );
  const raw = await fetch(`${server.url}/api/v1${path}?stream=stdout&format=raw`, {
    headers: { authorization: `Bearer ${server.owner}` },
  });
  expect(Buffer.from(await raw.arrayBuffer())).toEqual(Buffer.concat([Buffer.from("one\ntwo\n"), binary]));
  const lines = (await server.call("GET", `/runs/${log.run.slice(-8)}/logs`)).body as string;
  expect(lines.split("\n").slice(0, 3)).toEqual([
    "hello (attempt 2) | one",
    "hello (attempt 2) | warn",
    "hello (attempt 2) | two",
  ]);
  const tar = await fetch(`${server.url}/api/v1/runs/${log.run}/logs?format=tar`, {
    headers: { authorization: `Bearer ${server.owner}` },
  });
  const archive = Buffer.from(await tar.arrayBuffer());
  expect(archive.length % 512).toBe(0);
  expect(archive.subarray(0, 24).toString().replaceAll("\0", "")).toBe("0000-hello/2-2.stdout");
  expect(archive.subarray(512, 520).toString()).toBe("one\ntwo\n");
  const follow = await openFollow(server, `/runs/${log.run}/logs?follow=true`);
  await follow.over;
  expect(follow.heard.find(({ event }) => event === "gap")?.data).toMatchObject({ offset: 8, length: 100 });
  expect(follow.heard.find(({ data }) => data.base64)?.data.base64).toBe(binary.toString("base64"));
});

test("lines are found across chunks, page by page, each once", async () => {
  const server = await testServer();
  const log = await openTestLog(server.database);
  const lines = Array.from({ length: 300 }, (_, n) => `line ${n}${n % 7 === 0 ? " needle" : ""}\n`).join("");
  for (let at = 0; at < lines.length; at += 13) await log.write("stdout", lines.slice(at, at + 13));
  await log.write("stderr", "a needle without an end", { end: true });
  const found: { line: string; offset: number; stream: string }[] = [];
  let token = "";
  do {
    const { body } = await server.call(
      "GET",
      `/runs/${log.run}/logs/search?q=needle&limit=10${token && `&continue=${token}`}`,
    );
    found.push(...body.items);
    token = body.continue ?? "";
  } while (token !== "");
  const out = found.filter(({ stream }) => stream === "stdout");
  expect(out.map(({ line }) => line)).toEqual(Array.from({ length: 43 }, (_, n) => `line ${n * 7} needle`));
  for (const { offset, line } of out) expect(lines.slice(offset, offset + line.length)).toBe(line);
  expect(found.filter(({ stream }) => stream === "stderr").map(({ line }) => line)).toEqual([
    "a needle without an end",
  ]);
});

test("a log whose agent was lost shows what came, says so, and ends with the run", async () => {
  const server = await testServer();
  const log = await openTestLog(server.database);
  await log.write("stdout", "last words");
  const follow = await openFollow(server, `/runs/${log.run}/logs?follow=true`);
  await expect.poll(follow.text).toBe("last words");
  await log.loseAgent();
  await expect
    .poll(() => follow.heard.find(({ event }) => event === "note")?.data.why)
    .toBe("the agent was lost; the rest may follow");
  const read = async (path: string) => String((await server.call("GET", `/runs/${log.run}/${path}`)).body);
  const note = "[reeve: the agent was lost; the rest may follow]";
  expect(await read("logs")).toBe(`hello (attempt 2) | last words\nhello (attempt 2) | ${note}\n`);
  expect(await read("steps/0/logs")).toBe(`last words\n${note}\n`);
  expect(await read("steps/0/logs?format=raw")).toBe("last words");
  expect(await read("steps/0/logs?attempt=1")).toBe("");
  await log.endRun();
  await follow.over;
  expect(follow.heard.at(-1)?.event).toBe("done");
});

test("the output of a process is waited for though it ended a while ago: a busy agent sends it late", async () => {
  const server = await testServer();
  const log = await openTestLog(server.database);
  await log.endRun({ exitCode: 0, agoMs: 5000 });
  const follow = await openFollow(server, `/runs/${log.run}/steps/0/logs?follow=true`);
  await log.write("stdout", "at last\n", { end: true });
  await log.write("stderr", "", { end: true });
  await follow.over;
  expect(follow.text()).toBe("at last\n");
});

test("output needs its own permission, and without that of reading there is no run", async () => {
  const server = await testServer();
  const log = await openTestLog(server.database);
  await log.write("stdout", "hello\n");
  for (const path of [
    `/runs/${log.run}/logs`,
    `/runs/${log.run}/steps/0/logs`,
    `/runs/${log.run}/logs/search?q=h`,
  ]) {
    expect((await server.call("GET", path, { token: null })).status).toBe(401);
    expect((await server.call("GET", path)).status).toBe(200);
  }
  const missing = await server.call("GET", "/runs/01900000-0000-7000-8000-000000000000/logs");
  expect(missing.status).toBe(404);
  const offset = await server.call("GET", `/runs/${log.run}/steps/0/logs?offset=1`);
  expect([offset.status, offset.body.errors[0].pointer]).toEqual([422, "?offset"]);
});

test("a viewer counts the lines, reads a page of them, goes on from there, and finds errors whatever their case", async () => {
  const server = await testServer();
  const log = await openTestLog(server.database);
  await log.write("stdout", "one\nTwo \u001b[31mERROR\u001b[0m here\nthr");
  await log.write("stderr", "Error: oh\n", { end: true });
  await log.write("stdout", "ee\n", { end: true });
  const at = `/runs/${log.run}/logs`;
  const index = (await server.call("GET", `${at}/index?step=0`)).body as string;
  const [page, { end }] = index
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(page).toMatchObject({ after: 0, to: 4, lines: 4, open: [] });
  expect(end).toEqual({ after: 4, open: [] });
  const lines = async (query: string) =>
    (await server.call("GET", `${at}/lines?step=0&${query}`)).body.items as { text: string }[];
  expect((await lines("after=0&to=4&skip=1")).map(({ text }) => text)).toEqual([
    "Two \u001b[31mERROR\u001b[0m here",
    "three",
    "Error: oh",
  ]);
  expect((await lines("after=2&to=4&open=0.2.stdout")).length).toBe(0);
  const found = async (query: string) =>
    (await server.call("GET", `${at}/search?${query}`)).body.items as { line: string; chunk: number }[];
  expect(await found("q=error")).toEqual([]);
  const errors = [
    { line: "Two \u001b[31mERROR\u001b[0m here", chunk: 1, offset: 4 },
    { line: "Error: oh", chunk: 2, offset: 0 },
  ];
  expect(await found("q=error&case=ignore")).toMatchObject(errors);
  expect(await found("q=two%20error%20HERE&case=ignore")).toHaveLength(1);
  expect(await found("q=two.error&case=ignore")).toEqual([]);
  expect(await found("errors=true")).toMatchObject(errors);
  await log.endRun();
  const follow = await openFollow(server, `${at}?follow=true`, { "last-event-id": String(end.after) });
  await follow.over;
  expect(follow.text()).toBe("");
});
