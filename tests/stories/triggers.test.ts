import { createHmac } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openBench } from "../harness/bench.ts";
import { type PrivatePostgres, startPostgres } from "../harness/private-postgres.ts";
import { type Replica, startReplica } from "../harness/replicas.ts";
import { type Shop, shopOf } from "../harness/shop.ts";
import { until } from "../harness/until.ts";

/** What begins runs by itself, with two real replicas that may both do it. One story. */
const bench = openBench(afterAll);
let postgres: PrivatePostgres;
let replicas: Replica[];
let shop: Shop;

beforeAll(async () => {
  postgres = await startPostgres(bench);
  replicas = [];
  for (const name of ["one", "two"]) replicas.push(await startReplica(bench, name, postgres.url()));
  shop = await shopOf(bench, (replicas[0] as Replica).server);
});

/** The ticks that have had a run, oldest first, in seconds. */
async function ticks(workflow: string): Promise<number[]> {
  const { body } = await shop.api.call(
    "GET",
    `/api/v1/runs?scope=acme/shop&about=Workflow/${workflow}&limit=500`,
  );
  const items: { scheduledAt: string; cause: string }[] = body.items;
  expect(new Set(items.map(({ cause }) => cause))).toEqual(new Set(items.length > 0 ? ["schedule"] : []));
  return items.map(({ scheduledAt }) => Date.parse(scheduledAt) / 1000).toSorted((a, b) => a - b);
}

const everySecond = (more: object = {}) => ({
  steps: [{ name: "nap", wait: "1s" }],
  schedules: [{ name: "tick", cron: "* * * * * *", ...more }],
});

/** Every second of a stretch has its tick, once. */
function isWithoutHoles(seconds: readonly number[]): void {
  const first = seconds[0] ?? 0;
  expect(seconds).toEqual(seconds.map((_, at) => first + at));
}

test("a schedule of every second has one run a second with two replicas, also over their restart and one's death", async () => {
  await shop.workflow("beat", everySecond());
  await until("five ticks", async () => (await ticks("beat")).length >= 5);
  const [one, two] = replicas as [Replica, Replica];
  await two.crash();
  const before = (await ticks("beat")).length;
  await until("three more by the other", async () => (await ticks("beat")).length >= before + 3);
  await one.stop();
  await two.start();
  await one.start();
  const after = Math.floor(Date.now() / 1000);
  await until("ticks of now", async () => ((await ticks("beat")).at(-1) ?? 0) > after);
  await shop.done(["pause", "workflow/beat"]);
  isWithoutHoles(await ticks("beat"));
  expect(await shop.done(["schedule", "list"])).toMatch(/beat +tick +paused/);
});

test("what was missed in an outage is made up for as each schedule says, and told", async () => {
  const missed = [9, 6, 3].map((ago) => Math.floor(Date.now() / 60_000 - ago) * 60);
  const cron = `${missed.map((tick) => new Date(tick * 1000).getUTCMinutes()).join(",")} * * * *`;
  const caughtUp = { none: [], latest: missed.slice(-1), all: missed };
  for (const catchUp of Object.keys(caughtUp))
    await shop.workflow(catchUp, {
      steps: [{ name: "nap", wait: "1s" }],
      schedules: [{ name: "tick", cron, catchUp }],
    });
  for (const replica of replicas) await replica.stop();
  // The outage is made in the table, so that the test need not last it.
  await postgres.query("update schedule set next_at = $1 where workflow_name in ('none', 'latest', 'all')", [
    new Date((missed[0] ?? 0) * 1000),
  ]);
  for (const replica of replicas) await replica.start();
  for (const [workflow, wanted] of Object.entries(caughtUp))
    await expect.poll(() => ticks(workflow)).toEqual(wanted);
  expect(await shop.done(["events", "workflow/none"])).toMatch(/missed/i);
});

test("the next ticks can be seen, through changes of the clock; a wrong time is refused", async () => {
  await shop.workflow("nightly", {
    steps: [{ name: "nap", wait: "1s" }],
    schedules: [{ name: "night", cron: "30 2 * * *", timezone: "Europe/Berlin" }],
  });
  const args = ["schedule", "preview", "nightly", "-n", "3", "--from", "2027-03-27T00:00:00Z"];
  const shown = await shop.done(args);
  // The clock goes from 02:00 to 03:00 on the 28th: 02:30 does not exist, and is done at the change.
  expect(shown).toMatch(/2027-03-27T01:30:00[\s\S]*2027-03-28T01:00:00[\s\S]*2027-03-29T00:30:00/);
  const autumn = await shop.done([...args.slice(0, -1), "2027-10-30T12:00:00Z"]);
  // 02:30 comes twice on the 31st: the first counts.
  expect(autumn).toMatch(/2027-10-31T00:30:00[\s\S]*2027-11-01T01:30:00/);
  shop.write(
    "wrong.yaml",
    `apiVersion: reeve/v1
kind: Workflow
metadata: { name: wrong }
spec:
  steps: [{ name: nap, wait: 1s }]
  schedules:
    - name: never
      cron: 61 2 * * *
      timezone: Europe/Atlantis
`,
  );
  const refused = await shop.refused(["apply", "-f", "wrong.yaml"]);
  expect(refused).toContain("wrong.yaml:8:7: /spec/schedules/0/cron");
  expect(refused).toContain("wrong.yaml:9:7: /spec/schedules/0/timezone");
});

test("the past is run on purpose, each tick once", async () => {
  const range = ["--from", "2026-11-01T00:00:00Z", "--until", "2026-11-04T00:00:00Z"];
  const dry = await shop.reeve(["backfill", "nightly", ...range, "--dry-run"]);
  expect([dry.code, dry.stdout + dry.stderr]).toEqual([0, expect.stringContaining("3")]);
  await shop.done(["backfill", "nightly", ...range]);
  const again = await shop.reeve(["backfill", "nightly", ...range]);
  expect(again.stdout + again.stderr).toContain("3 ticks have had their run");
  const { body } = await shop.api.call("GET", "/api/v1/runs?scope=acme/shop&about=Workflow/nightly");
  const items: { scheduledAt: string }[] = body.items;
  expect(items.map(({ scheduledAt }) => scheduledAt).toSorted()).toEqual(
    ["01", "02", "03"].map((day) => `2026-11-${day}T01:30:00.000Z`),
  );
});

test("a webhook begins a run when it is signed and new; the same request again is the same run, on any replica", async () => {
  shop.write("hook.yaml", "apiVersion: reeve/v1\nkind: Secret\nmetadata: { name: hook }\nspec: {}\n");
  await shop.done(["apply", "-f", "hook.yaml"]);
  await shop.done(["secret", "set", "hook", "key=hush"]);
  await shop.workflow("deploy", {
    inputs: { branch: { required: true } },
    steps: [{ name: "nap", wait: "1s" }],
    webhooks: [
      {
        name: "push",
        secret: { secretRef: { name: "hook", key: "key" } },
        when: '${{ hook.body.ref.startsWith("refs/heads/") }}',
        inputs: { branch: "${{ hook.body.ref.substring(11) }}" },
      },
    ],
  });
  const post = async (replica: Replica, ref: string, { t = now(), key = "hush" } = {}) => {
    const body = JSON.stringify({ ref });
    const signature = createHmac("sha256", key).update(`${t}.${body}`).digest("hex");
    const headers = { "content-type": "application/json", "reeve-signature": `t=${t},v1=${signature}` };
    const url = `${replica.url}/api/v1/hooks/acme/shop/deploy/push`;
    const answer = await fetch(url, { method: "POST", headers, body });
    return { status: answer.status, run: ((await answer.json()) as { run?: string | null }).run };
  };
  const now = () => Math.floor(Date.now() / 1000);
  const [one, two] = replicas as [Replica, Replica];
  const t = now();
  const first = await post(one, "refs/heads/main", { t });
  expect(first).toEqual({ status: expect.any(Number), run: expect.any(String) });
  expect(await post(two, "refs/heads/main", { t })).toMatchObject({ run: first.run });
  expect(await shop.run(first.run as string)).toMatchObject({ cause: "webhook", inputs: { branch: "main" } });
  expect((await post(one, "refs/heads/main", { key: "guess" })).status).toBe(401);
  expect((await post(one, "refs/heads/main", { t: t - 600 })).status).toBe(401);
  expect((await post(one, "refs/tags/v1")).run).toBeNull();
  expect((await shop.done(["runs", "deploy", "-o", "name"])).trim().split("\n")).toHaveLength(1);
});

test("runs are asked for by a program with typed inputs, once for a key, and many at once or none", async () => {
  const trigger = (body: object, headers = {}) =>
    shop.api.call("POST", "/api/v1/organizations/acme/projects/shop/workflows/deploy/actions/trigger", {
      body,
      headers,
    });
  const wrong = await trigger({ inputs: { branch: 7 } });
  expect([wrong.status, wrong.text]).toEqual([expect.any(Number), expect.stringContaining("/inputs/branch")]);
  const key = { "idempotency-key": "pressed-twice" };
  const [once, twice] = [
    await trigger({ inputs: { branch: "a" } }, key),
    await trigger({ inputs: { branch: "a" } }, key),
  ];
  expect(twice.body).toEqual(once.body);
  const count = async () => (await shop.done(["runs", "deploy", "-o", "name"])).trim().split("\n").length;
  const before = await count();
  const many = (runs: object[]) =>
    shop.reeve(["act", "workflow/deploy", "trigger-many", "-i", `runs=${JSON.stringify(runs)}`]);
  expect((await many([{ inputs: { branch: "b" } }, { inputs: {} }])).stderr).toContain(
    "/runs/1/inputs/branch",
  );
  expect(await count()).toBe(before);
  expect((await many([{ inputs: { branch: "b" } }, { inputs: { branch: "c" } }])).code).toBe(0);
  expect(await count()).toBe(before + 2);
});
