import { CallFault, type PartNews, type StreamNews, type WatchPart } from "@reeve/sdk";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { gatherList } from "./gather.ts";
import { openStream } from "./stream.ts";
import { openWatched, type Watched } from "./watched.ts";

/** A server that says what the test says. */
interface Line {
  readonly parts: readonly WatchPart[];
  readonly aborted: boolean;
  say(...news: StreamNews[]): Promise<void>;
  end(fault?: CallFault): Promise<void>;
}

const lines: Line[] = [];

function connect(parts: readonly WatchPart[], { signal }: { signal: AbortSignal }) {
  const queue: (() => readonly StreamNews[])[] = [];
  let wake = () => {};
  let ended = false;
  const push = async (make: () => readonly StreamNews[]) => {
    queue.push(make);
    wake();
    await vi.advanceTimersByTimeAsync(150);
  };
  lines.push({
    parts,
    get aborted() {
      return signal.aborted;
    },
    say: (...news) => push(() => news),
    end: (fault) =>
      push(() => {
        ended = true;
        if (fault) throw fault;
        return [];
      }),
  });
  return (async function* () {
    signal.addEventListener("abort", () => wake());
    while (!ended && !signal.aborted) {
      for (let next = queue.shift(); next !== undefined; next = queue.shift()) yield next();
      if (!ended && !signal.aborted)
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
    }
  })();
}

const named = (name: string) => ({ metadata: { scope: "", name } }) as never;
const added = (on: number, name: string, revision?: number): PartNews => ({
  on,
  event: "added",
  resource: named(name),
  ...(revision && { revision }),
});
const synced = (on: number, revision: number): PartNews => ({ on, event: "synced", revision });

function watchedList(kind: string): Watched {
  const one = openWatched(kind, gatherList({ kind, scope: "" }));
  one.listen(() => {});
  return one as Watched;
}

const names = (one: Watched) =>
  (one.shown().value as { metadata: { name: string } }[]).map((row) => row.metadata.name);
const settle = () => vi.advanceTimersByTimeAsync(150);

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  vi.useRealTimers();
  lines.length = 0;
});

test("what is asked for in one moment shares a connection, and rows are shown when all are there", async () => {
  const stream = openStream(connect);
  const [users, groups] = [watchedList("User"), watchedList("Group")];
  stream.hold(users);
  stream.hold(groups);
  await settle();
  expect(lines).toHaveLength(1);
  expect(lines[0]?.parts).toMatchObject([{ kind: "User" }, { kind: "Group" }]);
  await lines[0]?.say(added(0, "ada"));
  expect([users.shown().state, names(users)]).toEqual(["loading", []]);
  await lines[0]?.say(synced(0, 7));
  expect([users.shown().state, names(users)]).toEqual(["live", ["ada"]]);
  expect(groups.shown().state).toBe("loading");
});

test("adding something opens the stream anew, and what was there goes on from where it was", async () => {
  const stream = openStream(connect);
  const users = watchedList("User");
  stream.hold(users);
  await settle();
  await lines[0]?.say(added(0, "ada"), synced(0, 7), added(0, "bob", 9));
  stream.hold(watchedList("Group"));
  await settle();
  expect(lines[0]?.aborted).toBe(true);
  expect(lines[1]?.parts).toMatchObject([
    { kind: "User", since: 9 },
    { kind: "Group", since: undefined },
  ]);
  expect(names(users)).toEqual(["ada", "bob"]);
});

test("a lost connection is told with its time, what is shown stays, and it comes back by itself", async () => {
  const stream = openStream(connect);
  const users = watchedList("User");
  stream.hold(users);
  await settle();
  await lines[0]?.say(added(0, "ada"), synced(0, 7));
  expect(stream.connection().state).toBe("live");
  await lines[0]?.end(new CallFault("unavailable", "gone", { retryable: true }));
  expect(stream.connection().state).toBe("lost");
  expect(users.shown()).toMatchObject({ state: "stale", since: stream.connection().since });
  expect(names(users)).toEqual(["ada"]);
  await vi.advanceTimersByTimeAsync(2000);
  await lines[1]?.say(synced(0, 8));
  expect([stream.connection().state, users.shown().state]).toEqual(["live", "live"]);
});

test("what is no longer kept is told anew, and what vanished meanwhile is gone", async () => {
  const stream = openStream(connect);
  const users = watchedList("User");
  stream.hold(users);
  await settle();
  await lines[0]?.say(added(0, "ada"), added(0, "bob"), synced(0, 7));
  await lines[0]?.say({ on: 0, event: "over", fault: new CallFault("gone", "too old") });
  expect(lines[1]?.parts).toMatchObject([{ since: undefined }]);
  expect(names(users)).toEqual(["ada", "bob"]);
  await lines[1]?.say(added(0, "bob"), synced(0, 50));
  expect(names(users)).toEqual(["bob"]);
});

test("a part that is refused says so, and the others go on", async () => {
  const stream = openStream(connect);
  const [users, groups] = [watchedList("User"), watchedList("Group")];
  stream.hold(users);
  stream.hold(groups);
  await settle();
  await lines[0]?.say({ on: 0, event: "over", fault: new CallFault("forbidden", "no") }, synced(1, 3));
  expect(users.shown()).toMatchObject({ state: "fault", fault: { message: "no" } });
  expect(groups.shown().state).toBe("live");
  expect(lines).toHaveLength(1);
});

test("rights that may have changed are told, also when that can have been missed", async () => {
  const stream = openStream(connect);
  let told = 0;
  stream.onRights(() => told++);
  stream.hold(watchedList("User"));
  await settle();
  await lines[0]?.say(synced(0, 7));
  expect(told).toBe(0);
  await lines[0]?.say({ event: "rights" });
  expect(told).toBe(1);
  await lines[0]?.end(new CallFault("unavailable", "gone", { retryable: true }));
  await vi.advanceTimersByTimeAsync(2000);
  await lines[1]?.say(synced(0, 8));
  expect(told).toBe(2);
});

test("a window that nobody looks at lets go after a minute, and catches up when it is shown", async () => {
  const stream = openStream(connect);
  const users = watchedList("User");
  stream.hold(users);
  await settle();
  await lines[0]?.say(added(0, "ada"), synced(0, 7));
  stream.look(false);
  await vi.advanceTimersByTimeAsync(59_000);
  expect(lines[0]?.aborted).toBe(false);
  await vi.advanceTimersByTimeAsync(2_000);
  expect([lines[0]?.aborted, stream.connection().state, users.shown().state]).toEqual([
    true,
    "resting",
    "stale",
  ]);
  stream.look(true);
  await settle();
  expect(lines[1]?.parts).toMatchObject([{ since: 7 }]);
});

test("what nobody shows any more is let go of, after a moment for the way back", async () => {
  const stream = openStream(connect);
  const users = openWatched("User", gatherList({ kind: "User", scope: "" })) as Watched;
  const leave = users.listen(() => {});
  const release = stream.hold(users);
  await settle();
  leave();
  release();
  await vi.advanceTimersByTimeAsync(4_000);
  expect(lines[0]?.aborted).toBe(false);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(lines[0]?.aborted).toBe(true);
});
