import type { ServerResponse } from "node:http";
import { Project } from "@reeve/access/kinds";
import { newUid, type Resource } from "@reeve/model";
import { expect, test } from "vitest";
import { connect, type WatchQuery } from "./index.ts";
import { badServer, type Heard, sendJson, someResource } from "./testing-server.ts";

const [a, b, c] = [newUid(), newUid(), newUid()];
const alpha = (revision: number) => someResource("alpha", revision, {}, a);
const beta = (revision: number) => someResource("beta", revision, {}, b);
const gamma = (revision: number) => someResource("gamma", revision, {}, c);

test("a connection cut within an event resumes after the last id and tells nothing twice", async () => {
  const stories: Story[] = [
    (answer) => {
      tell(answer, "added", alpha(1), 5);
      tell(answer, "added", beta(2), 5);
      synced(answer, 5);
      tell(answer, "modified", alpha(6), 6);
      answer.write('event: modified\nid: 7\ndata: {"resource":{"me');
      cutSoon(answer);
    },
    (answer) => {
      // A server that repeats the last event it is not sure about.
      tell(answer, "modified", alpha(6), 6);
      tell(answer, "modified", beta(7), 7);
      tell(answer, "removed", alpha(8), 8);
      cutSoon(answer);
    },
    (answer) => {
      tell(answer, "removed", alpha(8), 8);
      synced(answer, 9);
      tell(answer, "added", gamma(10), 10);
    },
  ];
  await using server = await badServer(play(stories));
  expect(await hear(server.url, 6)).toEqual([
    "added alpha 1",
    "added beta 2",
    "modified alpha 6",
    "modified beta 7",
    "removed alpha 8",
    "added gamma 10",
  ]);
  expect(server.heard.map(placeOf)).toEqual(["from the start", "after 6", "after 8"]);
});

test("410 lists again and tells exactly what changed, with what vanished", async () => {
  const stories: Story[] = [
    (answer) => {
      tell(answer, "added", alpha(1), 3);
      tell(answer, "added", beta(2), 3);
      synced(answer, 3);
      cutSoon(answer);
    },
    (answer) => sendJson(answer, 410, { kind: "gone", status: 410, detail: "compacted" }),
    (answer) => {
      tell(answer, "added", beta(2), 90);
      tell(answer, "added", gamma(80), 90);
      synced(answer, 90);
      tell(answer, "modified", beta(91), 91);
    },
  ];
  await using server = await badServer(play(stories));
  expect(await hear(server.url, 5)).toEqual([
    "added alpha 1",
    "added beta 2",
    "added gamma 80",
    "removed alpha 1",
    "modified beta 91",
  ]);
  expect(server.heard.map(placeOf)).toEqual(["from the start", "after 3", "from the start"]);
});

test("a first listing cut in the middle is begun again, for it has no place to resume from", async () => {
  const stories: Story[] = [
    (answer) => {
      tell(answer, "added", alpha(8), 8);
      cutSoon(answer);
    },
    (answer) => {
      tell(answer, "added", beta(2), 9);
      synced(answer, 9);
    },
  ];
  await using server = await badServer(play(stories));
  expect(await hear(server.url, 3)).toEqual(["added alpha 8", "added beta 2", "removed alpha 8"]);
  expect(server.heard.map(placeOf)).toEqual(["from the start", "from the start"]);
});

test("what the caller holds already is told as removed when it vanished unseen", async () => {
  const stories: Story[] = [
    (answer) => sendJson(answer, 410, { kind: "gone", status: 410 }),
    (answer) => {
      tell(answer, "added", beta(2), 9);
      synced(answer, 9);
    },
  ];
  await using server = await badServer(play(stories));
  const known = [alpha(1), beta(2)] as never;
  expect(await hear(server.url, 1, { since: 4, known })).toEqual(["removed alpha 1"]);
  expect(server.heard.map(placeOf)).toEqual(["since 4", "from the start"]);
});

test("an end by the server and 503 are waited out; a lost right ends the watch with its fault", async () => {
  const stories: Story[] = [
    (answer) => {
      synced(answer, 3);
      write(answer, "end", 3, { problem: { kind: "unavailable", status: 503, detail: "stopping" } });
      answer.end();
    },
    (answer) => sendJson(answer, 503, { kind: "unavailable", status: 503 }, { "retry-after": "0" }),
    (answer) => {
      tell(answer, "added", alpha(4), 4);
      write(answer, "end", 4, { problem: { kind: "forbidden", status: 403, detail: "no longer" } });
      answer.end();
    },
    (answer) => sendJson(answer, 403, { kind: "forbidden", status: 403, detail: "projects:read" }),
  ];
  await using server = await badServer(play(stories));
  await expect(hear(server.url, 2)).rejects.toMatchObject({ kind: "forbidden" });
  expect(server.heard.map(placeOf)).toEqual(["from the start", "after 3", "after 3", "after 4"]);
});

test("silence is a lost connection, a comment is a sign of life", async () => {
  const stories: Story[] = [
    (answer) => {
      synced(answer, 3);
      const beats = setInterval(() => answer.write(": beat\n"), 40);
      setTimeout(() => clearInterval(beats), 300);
    },
    (answer) => tell(answer, "added", alpha(4), 4),
  ];
  await using server = await badServer(play(stories));
  const startedAt = performance.now();
  expect(await hear(server.url, 1, { stallMs: 120 })).toEqual(["added alpha 4"]);
  expect(performance.now() - startedAt).toBeGreaterThan(380);
});

test("an abort ends a quiet watch without a fault", async () => {
  await using server = await badServer(play([(answer) => synced(answer, 3)]));
  const stop = new AbortController();
  const watch = connect({ url: server.url })
    .kind(Project)
    .watch("acme", { signal: stop.signal, onSynced: () => setTimeout(() => stop.abort(), 10) });
  expect(await watch.next()).toEqual({ done: true, value: undefined });
});

type Story = (answer: ServerResponse) => void;

/** Each connection gets the next story; events are written as the server writes them. */
function play(stories: readonly Story[]) {
  return (_heard: Heard, answer: ServerResponse, number: number) => stories[number - 1]?.(answer);
}

function tell(answer: ServerResponse, event: string, resource: Resource, id: number): void {
  write(answer, event, id, { resource });
}

function synced(answer: ServerResponse, revision: number): void {
  write(answer, "synced", revision, { revision });
}

function write(answer: ServerResponse, event: string, id: number, data: unknown): void {
  if (!answer.headersSent) answer.writeHead(200, { "content-type": "text/event-stream" });
  answer.write(`event: ${event}\nid: ${id}\ndata: ${JSON.stringify(data)}\n\n`);
}

/** What was written must leave first; a reset would drop it. */
function cutSoon(answer: ServerResponse): void {
  setTimeout(() => answer.destroy(), 20);
}

function placeOf({ headers, query }: Heard): string {
  if (headers["last-event-id"] !== undefined) return `after ${headers["last-event-id"]}`;
  return query.has("since") ? `since ${query.get("since")}` : "from the start";
}

async function hear(url: string, count: number, query: WatchQuery<never> = {}): Promise<string[]> {
  const heard: string[] = [];
  for await (const { type, resource } of connect({ url }).kind(Project).watch("acme", query)) {
    heard.push(`${type} ${resource.metadata.name} ${resource.metadata.revision}`);
    if (heard.length === count) return heard;
  }
  return heard;
}
