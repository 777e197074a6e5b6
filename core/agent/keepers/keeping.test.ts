import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { Keeper } from "./keeper.ts";
import { type Observation, openKeeping } from "./keeping.ts";
import { keeperConforms } from "./testing.ts";
import { paperKeeper } from "./testing-paper.ts";

const uid = "00000000-0000-4000-8000-000000000001";
const order = (generation: number, text: string) => ({ uid, name: "a", generation, spec: { text } });
const inside = { signal: new AbortController().signal, stdout: () => {}, stderr: () => {} };
const gateMs = 10_000;

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "reeve-keep-"));
  return folder;
}

keeperConforms("paper", async () => {
  const folder = await newFolder();
  const desk = join(folder, "desk");
  const read = () => readFile(join(desk, uid), "utf8").catch(() => undefined);
  return {
    folder,
    open: () => paperKeeper(desk),
    fetch: async () => Buffer.alloc(0),
    good: [order(1, "1"), order(2, "2")],
    bad: order(3, "sick"),
    working: async () => ((await read()) === undefined ? undefined : Number(await read())),
    left: async () => (await readdir(desk).catch(() => [])).filter((name) => name === uid),
    damages: {
      removed: () => rm(join(desk, uid)),
      changed: () => writeFile(join(desk, uid), "somebody else was here"),
    },
    foreign: async () => "none",
  };
});

async function setUp(keeperAround?: (keeper: Keeper) => Keeper) {
  const folder = await newFolder();
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const desk = join(folder, "desk");
  const reported: Observation[] = [];
  const open = async () => {
    const paper = paperKeeper(desk) as Keeper;
    const keeping = await openKeeping({
      folder,
      keepers: [keeperAround?.(paper) ?? paper],
      fetch: async () => Buffer.alloc(0),
      report: (more) => reported.push(...more),
      log: () => {},
    });
    onTestFinished(() => keeping.close());
    return keeping;
  };
  return {
    folder,
    desk,
    open,
    reported,
    paper: () => readFile(join(desk, uid), "utf8").catch(() => undefined),
  };
}

test("a generation that does not do its work gives way to the one before, with the reason and the time", async () => {
  const { open, paper, reported } = await setUp();
  const keeping = await open();
  await keeping.keep("Paper", { ...order(1, "1"), gateMs }, inside);
  const ended = await keeping.keep("Paper", { ...order(2, "sick"), gateMs }, inside);
  expect(ended).toMatchObject({
    outcome: "failed",
    why: expect.stringMatching(/^it is sick; generation 1 is kept again, after [\d.]+ s$/),
  });
  expect(await paper()).toBe("1");
  expect(reported.map(({ seen }) => seen)).toContainEqual({ generation: 1, trying: 2, text: "sick" });
  await expect.poll(() => keeping.told()[0]?.seen).toEqual({ generation: 1, text: "1" });
});

test("a first generation that does not do its work leaves nothing behind", async () => {
  const { open, paper } = await setUp();
  const keeping = await open();
  const ended = await keeping.keep("Paper", { ...order(1, "sick"), gateMs }, inside);
  expect(ended.why).toContain("none is now");
  expect(await paper()).toBeUndefined();
  expect(keeping.told()).toEqual([]);
});

test("a cancelled trial goes back too", async () => {
  const cancel = new AbortController();
  const { open, paper } = await setUp((keeper) => ({
    ...keeper,
    judge(wanted, seen) {
      if (wanted.generation === 1) return keeper.judge(wanted, seen);
      cancel.abort();
      return { ready: false, why: "takes its time", final: false };
    },
  }));
  const keeping = await open();
  await keeping.keep("Paper", { ...order(1, "1"), gateMs }, inside);
  const ended = await keeping.keep(
    "Paper",
    { ...order(2, "2"), gateMs },
    { ...inside, signal: cancel.signal },
  );
  expect(ended.why).toContain("it was cancelled; generation 1 is kept again");
  expect(await paper()).toBe("1");
});

test("a process that was stopped in a trial leaves it to the next, which goes back when nobody comes for it", async () => {
  let news: (uid: string | undefined) => void = () => {};
  const slow = (keeper: Keeper): Keeper => ({
    ...keeper,
    watch(changed) {
      news = changed;
      return () => {};
    },
    judge: (wanted, seen) =>
      wanted.generation === 1 ? keeper.judge(wanted, seen) : { ready: false, why: "slow", final: false },
  });
  const { open, paper } = await setUp(slow);
  const first = await open();
  await first.keep("Paper", { ...order(1, "1"), gateMs }, inside);
  void first.keep("Paper", { ...order(2, "2"), gateMs: 1500 }, inside);
  await expect.poll(paper).toBe("2");
  await first.close();
  expect(await paper()).toBe("2");
  const next = await open();
  expect(next.kept()).toEqual([uid]);
  // A look at it after its time is what the sweep brings; here it is asked for all the time.
  const lookedAt = () => {
    news(uid);
    return paper();
  };
  await expect.poll(lookedAt).toBe("1");
  await expect.poll(() => next.told()[0]?.seen).toEqual({ generation: 1, text: "1" });
});

test("what is kept on disk shows no secret, and belongs to its resource", async () => {
  const { open, folder } = await setUp();
  const keeping = await open();
  await keeping.keep("Paper", { ...order(1, "canary-5dRk"), gateMs }, inside);
  const content = await readFile(join(folder, "kept", `${uid}.kept`));
  expect(content.includes("canary-5dRk")).toBe(false);
});

test("an act is done with what is kept, changes what is wanted until the next generation, and says what is in the way", async () => {
  const done: string[] = [];
  const { open, paper, folder } = await setUp((keeper) => ({
    ...keeper,
    acts: {
      async perform(act, wanted) {
        if (act.do === "tear") throw new Error("it cannot be torn");
        done.push(`${act.do} ${wanted.generation}`);
      },
      overridden: (act, wanted) => ({ ...wanted, spec: { text: String(act.text) } }),
    },
  }));
  const keeping = await open();
  const act = (what: object) => keeping.act("Paper", { ...order(1, ""), gateMs, act: { ...what } }, inside);
  expect(await act({ do: "write", text: "2" })).toMatchObject({
    outcome: "failed",
    why: expect.stringContaining("deploy it first"),
  });
  await keeping.keep("Paper", { ...order(1, "1"), gateMs }, inside);
  expect(await act({ do: "write", text: "2" })).toEqual({ outcome: "succeeded", why: "" });
  expect(done).toEqual(["write 1"]);
  expect(await paper()).toBe("2");
  await keeping.close();
  // A new process keeps what the act has made of it.
  await rm(join(folder, "desk", uid));
  const next = await open();
  await expect.poll(paper, { timeout: 60_000 }).toBe("2");
  const again = (what: object) => next.act("Paper", { ...order(1, ""), gateMs, act: { ...what } }, inside);
  expect(await again({ do: "write", text: "sick" })).toEqual({ outcome: "failed", why: "it is sick" });
  await expect(again({ do: "tear" })).rejects.toThrow("it cannot be torn");
  // The next generation knows nothing of it.
  expect(await next.keep("Paper", { ...order(2, "3"), gateMs }, inside)).toMatchObject({
    outcome: "succeeded",
  });
  expect(await paper()).toBe("3");
});
