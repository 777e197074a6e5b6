import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { converge } from "./converge.ts";
import type { Keeper, KeepOrder, Means, Wanted } from "./keeper.ts";
import { type Keeping, openKeeping } from "./keeping.ts";

export { openKeeping };

/** The world of a keeper, for the suite that every keeper must pass. */
export interface KeeperBench {
  /** A folder of the agent's, and a keeper as a new process has it. */
  readonly folder: string;
  open(): Keeper;
  readonly fetch: (name: string) => Promise<Buffer>;
  /** Generations of one resource that do their work, and one that never does. */
  readonly good: readonly [KeepOrder, KeepOrder];
  readonly bad: KeepOrder;
  /** The generation that can be seen at work in the world outside, by its number; undefined when there is none. */
  working(): Promise<number | undefined>;
  /** Everything there is of the resource, for people. */
  left(): Promise<readonly string[]>;
  /** What somebody else may do to it, by what it is called. */
  readonly damages: Readonly<Record<string, () => Promise<void>>>;
  /** Something of the same sort that is not ours: all of it, as it stands. */
  foreign(): Promise<string>;
}

const gateMs = 120_000;

/** One suite for all keepers: what the keep loop relies on, tried on the real thing. */
export function keeperConforms(
  name: string,
  open: () => Promise<KeeperBench>,
  options: { readonly skip?: boolean } = {},
): void {
  describe(`the keeper of ${name}`, { ...options, timeout: 300_000 }, () => {
    let bench: KeeperBench;
    let keeper: Keeper;
    let means: Means;
    let foreign: string;
    const said: string[] = [];

    const wantedOf = async (order: KeepOrder): Promise<Wanted> => ({
      ...order,
      prepared: await keeper.prepare(order, means),
    });
    const reach = (wanted: Wanted, ms = gateMs) =>
      converge({ keeper, wanted, means, until: Date.now() + ms, seen: () => {} });

    beforeAll(async () => {
      bench = await open();
      keeper = bench.open();
      means = {
        folder: `${bench.folder}/${keeper.kind.toLowerCase()}s`,
        fetch: bench.fetch,
        say: (text) => said.push(text),
        signal: new AbortController().signal,
      };
      foreign = await bench.foreign();
    }, 300_000);

    afterAll(async () => {
      expect(await bench.foreign(), "what is not ours was touched").toBe(foreign);
    });

    test("preparing touches nothing, and may be repeated", async () => {
      const first = await keeper.prepare(bench.good[0], means);
      expect(await keeper.prepare(bench.good[0], means)).toEqual(first);
      expect(await bench.left()).toEqual([]);
    });

    test("a plan is pure; what is applied leaves nothing to do; what is applied twice does no harm", async () => {
      const wanted = await wantedOf(bench.good[0]);
      const seen = await keeper.observe(wanted, means);
      const before = structuredClone(seen);
      const changes = keeper.plan(wanted, seen);
      expect(changes.length).toBeGreaterThan(0);
      expect(keeper.plan(wanted, seen)).toEqual(changes);
      expect(seen).toEqual(before);
      for (const change of [...changes, ...changes]) await keeper.apply(change, wanted, means);
      expect(await reach(wanted)).toEqual({ ready: true });
      expect(keeper.plan(wanted, await keeper.observe(wanted, means))).toEqual([]);
      expect(await bench.working()).toBe(wanted.generation);
    });

    test("what is told stays the same while nothing changes", async () => {
      const wanted = await wantedOf(bench.good[0]);
      const tell = async () => keeper.tell(wanted, await keeper.observe(wanted, means));
      const first = await tell();
      expect(await tell()).toEqual(first);
    });

    test("a generation that does not do its work says why, and the one before can be kept again", async () => {
      const bad = await reach(await wantedOf(bench.bad));
      expect(bad).toMatchObject({ ready: false, final: true, why: expect.stringMatching(/\w/) });
      expect(await reach(await wantedOf(bench.good[0]))).toEqual({ ready: true });
      expect(await bench.working()).toBe(bench.good[0].generation);
    });

    test("drift is repaired by a new process that has no control plane, whatever the damage was", async () => {
      const inside = { signal: means.signal, stdout: () => {}, stderr: () => {} };
      const first = await keepingOf(bench);
      const kept = await first.keep(keeper.kind, { ...bench.good[1], gateMs }, inside);
      expect(kept).toMatchObject({ outcome: "succeeded" });
      await first.close();
      for (const [what, damage] of Object.entries(bench.damages)) {
        await damage();
        const next = await keepingOf(bench);
        await expect
          .poll(() => bench.working(), { message: what, timeout: 120_000 })
          .toBe(bench.good[1].generation);
        await next.close();
      }
      const last = await keepingOf(bench);
      expect(await last.letGo(keeper.kind, { ...bench.good[1], gateMs }, inside)).toMatchObject({
        outcome: "succeeded",
      });
      await last.close();
      expect(await bench.left()).toEqual([]);
    });

    test("what is let go leaves nothing, also when there was nothing", async () => {
      const wanted: Wanted = { ...(await wantedOf(bench.good[0])), gone: true };
      expect(await reach(wanted)).toEqual({ ready: true });
      expect(await reach(wanted)).toEqual({ ready: true });
      expect(await bench.left()).toEqual([]);
    });
  });
}

function keepingOf(bench: KeeperBench): Promise<Keeping> {
  return openKeeping({
    folder: bench.folder,
    keepers: [bench.open()],
    fetch: bench.fetch,
    report: () => {},
    log: () => {},
  });
}
