import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openBench } from "../harness/bench.ts";
import { screenOf } from "../harness/screen.ts";
import { openShop, type Shop } from "../harness/shop.ts";
import { until } from "../harness/until.ts";

/** docs/runs.md, carried out with the real server, its home agent and the command line. One story. */
const bench = openBench(afterAll);
let shop: Shop;

const manifests = `apiVersion: reeve/v1
kind: Workflow
metadata: { scope: acme/shop, name: hello }
spec:
  inputs:
    name: { default: world }
    count: { type: integer, default: 1 }
  steps:
    - name: greet
      run: echo "hello \${{ inputs.name }}"
    - name: each
      each: [a, b, c]
      run: echo "\${{ item }}"
---
apiVersion: reeve/v1
kind: Workflow
metadata: { scope: acme/shop, name: release }
spec:
  steps:
    - name: ask
      approve: { text: "release to everybody?", expires: 1h }
    - name: ship
      run: echo tried >>"$HOME_OF_TEST/tries"; test -e "$HOME_OF_TEST/allowed"
      env: { HOME_OF_TEST: "@home@" }
    - name: elsewhere
      run: echo never
      selector: zone=moon
---
apiVersion: reeve/v1
kind: Workflow
metadata: { scope: acme/shop, name: tall }
spec:
  steps:
    - { name: one, needs: [], run: "true" }
    - { name: two, needs: [], run: "true" }
    - { name: three, needs: [], run: "true" }
    - { name: four, needs: [], run: "true" }
    - { name: gate, needs: [], run: "while [ ! -e @home@/open ]; do sleep 0.1; done" }
    - { name: last, needs: [gate], run: "exit 3" }
`;

beforeAll(async () => {
  shop = await openShop(bench);
  shop.write("all.yaml", manifests.replaceAll("@home@", shop.reeve.home));
  await shop.done(["apply", "-f", "all.yaml"]);
});

/** What a command that succeeds says to its user, beside its answer. */
async function told(...args: string[]): Promise<string> {
  const { code, stderr } = await shop.reeve(args);
  expect(code, stderr).toBe(0);
  return stderr;
}

const shows = async (run: string, words: RegExp) =>
  until(
    `${words} in reeve runs show`,
    async () => words.test(await shop.done(["runs", "show", run])),
    30_000,
  );

test("an empty list teaches, a run is begun and followed line by line, and its outcome is the exit code", async () => {
  expect(await told("runs")).toContain("no runs in acme/shop yet: reeve run WORKFLOW");
  const followed = await shop.done(["run", "hello", "-i", "name=ada", "-i", "count=2", "--follow"]);
  expect(followed).toMatch(/greet {2}succeeded\n.*each\[0\] {2}/s);
  expect(followed).toMatch(/each\[2\] {2}succeeded/);
  expect(followed.trimEnd()).toMatch(/run hello {2}succeeded$/);
  shop.write("inputs.yaml", "name: grace\ncount: 3\n");
  const id = await shop.begin("hello", "-i", "@inputs.yaml");
  await shows(id.slice(-8), /hello \w{8} {2}succeeded/);
  const shown = await shop.done(["runs", "show", id.slice(-8)]);
  expect(shown).toContain("inputs: name=grace, count=3");
  expect(shown).toMatch(/✓ each +3\/3/);
  const table = (await shop.done(["runs", "hello"])).trimEnd().split("\n");
  expect(table).toHaveLength(3);
  expect(Math.max(...table.map((line) => line.length))).toBeLessThanOrEqual(80);
  expect(table[1]).toMatch(new RegExp(`^${id.slice(-8)} +hello +succeeded +ada `));
});

test("a mistake is named before anything begins", async () => {
  const wrong = await shop.reeve(["run", "hello", "-i", "count=many"]);
  expect([wrong.code, wrong.stderr]).toEqual([3, expect.stringContaining("/inputs/count")]);
  expect((await shop.reeve(["run", "nothing"])).code).toBe(5);
  expect((await shop.reeve(["run", "hello", "-i", "name"])).code).toBe(2);
  expect((await shop.reeve(["runs", "show", "zz"])).code).toBe(2);
  expect((await shop.reeve(["cancel"])).code).toBe(2);
  expect(await told("runs", "hello", "--state", "failed")).toContain("no runs in acme/shop match");
});

test("a release waits for an approval, fails, is done over from there, and says what its last step waits for", async () => {
  const id = await shop.begin("release");
  const run = id.slice(-8);
  await shows(run, /◌ ask +approval pending until .*release to everybody\?/);
  expect(await shop.done(["runs", "--waiting", "approval"])).toMatch(
    new RegExp(`${run}.*ask: approval pending`),
  );
  expect(await told("runs", "--waiting", "lost")).toContain("no runs in acme/shop match");
  await shop.done(["pause", run]);
  expect((await shop.reeve(["pause", `run/${run}`])).code).toBe(6);
  await shop.done(["resume", run]);
  const approved = await told("approve", run, "--note", "looked at it");
  expect(approved).toContain(`release ${run} ask approved`);
  await shows(run, /release \w{8} {2}failed/);
  const failed = await shop.reeve(["runs", "show", run, "--follow"]);
  expect([failed.code, failed.stdout]).toEqual([1, expect.stringMatching(/ship {2}failed/)]);
  shop.write("allowed", "");
  await shop.done(["retry", run, "--from-failed"]);
  await shows(run, /○ elsewhere +no connected agent matches zone=moon; 1 agent/);
  await shop.done(["skip", run, "elsewhere", "--as-succeeded"]);
  await shows(run, /release \w{8} {2}succeeded/);
  const audit = await shop.done(["audit", "--operation", "approve"]);
  expect(audit).toContain("approve");

  const tries = () => readFileSync(join(shop.reeve.home, "tries"), "utf8");
  expect(tries()).toBe("tried\ntried\n");
  expect(await told("retry", run)).toContain(`release ${run} begun again`);
  await shows(run, /◌ ask +approval pending(.*\n)*.*○ ship(.*\n)*.*○ elsewhere/);
  expect((await shop.reeve(["retry", run])).code).toBe(6);
  await shop.done(["approve", run]);
  await shows(run, /✓ ship/);
  expect(tries()).toBe("tried\ntried\ntried\n");
  await shop.done(["cancel", run]);
  await shows(run, /release \w{8} {2}cancelled/);
});

test("in a terminal a run is a tree that is drawn anew in its place, never higher than the terminal, and its last state stays", async () => {
  const size = { rows: 7, columns: 60 };
  const followed = shop.reeve.terminal(["run", "tall", "--follow"], size);
  const screen = () => screenOf(followed.stdout(), size.rows);
  await until("the step to be shown", () => screen().some((line) => /^● gate +\d.*, on /.test(line)));
  const drawn = followed.stdout().length;
  await until("it to be drawn anew", () => followed.stdout().length > drawn);
  await expect
    .poll(screen)
    .toEqual([
      expect.stringMatching(/^tall \w{8} {2}running {2}\d/),
      "✓ 3 more that have succeeded",
      expect.stringMatching(/^✓ four/),
      expect.stringMatching(/^● gate +\d.*, on /),
      expect.stringMatching(/^○ last +waits for gate$/),
      "",
    ]);
  shop.write("open", "");
  expect(await followed.ended).toMatchObject({ code: 1 });
  expect(screen()).toEqual([
    expect.stringMatching(/^tall \w{8} {2}failed {2}\d/),
    "✓ 3 more that have succeeded",
    expect.stringMatching(/^✓ four/),
    expect.stringMatching(/^✓ gate/),
    expect.stringMatching(/^✗ last .*exit code 3$/),
    "",
  ]);
  for (const line of screen()) expect(line.length).toBeLessThan(size.columns);
});

test("who mends a workflow goes on from the run that failed; a retry says that something newer is there", async () => {
  const written = (last: string) =>
    [
      "apiVersion: reeve/v1",
      "kind: Workflow",
      "metadata: { scope: acme/shop, name: mended }",
      "spec:",
      "  inputs: { day: {} }",
      "  steps:",
      "    - { name: fetch, run: 'echo rows=7 >> \"$REEVE_OUTPUTS\"' }",
      `    - { name: load, needs: [fetch], run: '${last}' }`,
      "",
    ].join("\n");
  const newest = async () =>
    (await shop.done(["runs", "mended", "-o", "name"])).split("\n")[0]?.replace("run/", "") ?? "";
  shop.write("mended.yaml", written("exit 3"));
  await shop.done(["apply", "-f", "mended.yaml"]);
  const failed = await shop.reeve(["run", "mended", "-i", "day=monday", "--wait"]);
  expect(failed.code, failed.stderr).toBe(1);
  const first = await newest();
  shop.write("mended.yaml", written("echo ${{ inputs.day }} ${{ steps.fetch.outputs.rows }}"));
  await shop.done(["apply", "-f", "mended.yaml"]);
  expect(await told("retry", first, "--from-failed")).toContain(
    `as it is now, keeping what succeeded: reeve run mended --keep ${first.slice(-8)}`,
  );
  await shows(first, /mended \w{8} {2}failed/);
  expect((await shop.reeve(["run", "mended", "--keep", first, "-i", "day=tuesday"])).code).toBe(2);
  const again = await shop.done(["run", "mended", "--keep", first.slice(-8), "--follow"]);
  expect(again).toMatch(new RegExp(`fetch +succeeded +kept from ${first}`));
  const second = await newest();
  expect(await shop.done(["logs", second, "-f"])).toContain("monday 7");
  const nothing = await shop.reeve(["run", "mended", "--keep", second]);
  expect([nothing.code, nothing.stderr]).toEqual([6, expect.stringContaining("nothing left to do")]);
});

test("runs are cancelled one by one and by their workflow", async () => {
  const first = (await shop.begin("release")).slice(-8);
  await shop.done(["cancel", first, "--why", "wrong day"]);
  await shows(first, /cancelled.*wrong day/);
  await shop.begin("release");
  await shop.begin("release");
  expect(await told("cancel", "--workflow", "release")).toContain("2 runs cancelled");
  expect((await shop.reeve(["cancel", "--all"])).stderr).toContain("--yes");
  const rejected = (await shop.begin("release")).slice(-8);
  await shows(rejected, /approval pending/);
  await shop.done(["reject", rejected, "ask", "--note", "not today"]);
  await shows(rejected, /rejected by user:ada: not today/);
});

test("a workflow that is deleted and made again begins without runs; those of the earlier one are a flag away", async () => {
  const before = await shop.done(["runs", "hello", "-o", "name"]);
  expect(before.trim().split("\n")).toHaveLength(2);
  await shop.done(["delete", "workflow/hello", "--yes"]);
  await shop.done(["apply", "-f", "all.yaml"]);
  expect(await told("runs", "hello")).toContain("reeve runs hello --former");
  await shop.begin("hello");
  expect((await shop.done(["runs", "hello", "-o", "name"])).trim().split("\n")).toHaveLength(1);
  expect(await shop.done(["runs", "hello", "--former", "-o", "name"])).toBe(before);
  expect((await shop.reeve(["runs", "--former"])).code).toBe(2);
});

test("the inside of the server can be looked at", async () => {
  expect(await shop.done(["debug", "runs"])).toMatch(/ACCEPTED/);
  expect(await shop.done(["debug", "agents"])).toMatch(/\bconnected\b/);
});
