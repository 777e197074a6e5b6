import { chmodSync, existsSync, mkdirSync, readdirSync, statfsSync, statSync, writeFileSync } from "node:fs";
import { getPriority, userInfo } from "node:os";
import { join, relative } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { keyText } from "../attempt-key.ts";
import { layoutOf, openRoots } from "./layout.ts";
import { insideExecutor, lives, openTestAttempts, orderOf, pidIn, script, testFolder } from "./testing.ts";

test("a body that succeeds ends so, with its output in two files", async () => {
  const attempts = await openTestAttempts();
  const order = orderOf(script("echo to out; echo to err >&2"));
  const ending = await attempts.run(order);
  expect(ending).toMatchObject({ outcome: "succeeded", exitCode: 0, why: "", final: false });
  expect(ending.startedAt!.getTime()).toBeLessThanOrEqual(ending.endedAt.getTime());
  expect([attempts.read(order, "out"), attempts.read(order, "err")]).toEqual(["to out\n", "to err\n"]);
});

test.each([
  ["exit 3", { outcome: "failed", exitCode: 3, why: "exit code 3" }],
  ["exit 137", { outcome: "failed", exitCode: 137, why: "exit code 137" }],
  ["kill -9 $$", { outcome: "failed", signal: "SIGKILL", why: "killed by SIGKILL (perhaps out of memory)" }],
  ["kill -TERM $$", { outcome: "failed", signal: "SIGTERM", why: "killed by SIGTERM" }],
  ["kill -INT $$", { outcome: "failed", signal: "SIGINT", why: "killed by SIGINT" }],
])("%s is told apart", async (text, expected) => {
  const attempts = await openTestAttempts();
  const ending = await attempts.run(orderOf(script(text)));
  expect(ending).toMatchObject(expected);
  expect("exitCode" in ending).toBe("exitCode" in expected);
});

test("the body sees what is declared, and nothing of the agent's own environment", async () => {
  process.env.REEVE_TEST_CANARY = "of the agent";
  const attempts = await openTestAttempts();
  const order = orderOf({ argv: ["/usr/bin/env"], env: { COLOUR: "blue" } });
  await attempts.run(order);
  const variables = attempts.read(order, "out").trim().split("\n").sort();
  const names = variables.map((line) => line.split("=")[0]);
  const ours = ["ATTEMPT", "HEARTBEAT", "KEY", "OUTPUTS", "RUN", "SCOPE", "STEP", "WORKFLOW"];
  expect(names).toEqual(["COLOUR", "HOME", "LANG", "PATH", ...ours.map((name) => `REEVE_${name}`)]);
  expect(variables).toContain(`REEVE_KEY=${order.run}.1`);
  expect(variables).toContain(`HOME=${userInfo().homedir}`);
});

test("the agent's folder may be given from where the agent stands", async () => {
  const attempts = await openTestAttempts(relative(process.cwd(), testFolder()));
  const ending = await attempts.run(orderOf(script("cd /; echo a=1 > $REEVE_OUTPUTS")));
  expect(ending).toMatchObject({ outcome: "succeeded", outputs: { a: "1" } });
});

test("each attempt has a working folder of its own, a umask and a niceness", async () => {
  const attempts = await openTestAttempts();
  const order = orderOf({ ...script("pwd; umask; nice; touch made; ls -l made"), umask: 0o077, nice: 7 });
  expect(await attempts.run(order)).toMatchObject({ outcome: "succeeded" });
  const [cwd, umask, nice, made] = attempts.read(order, "out").split("\n");
  expect([cwd, umask, nice]).toEqual([
    join(attempts.folder, "attempts", keyText(order), "work"),
    "0077",
    // On top of what this test itself was given.
    String(Math.min(19, getPriority() + 7)),
  ]);
  expect(made).toMatch(/^-rw------- /);
});

test("a step that this host cannot begin is final, and says why", async () => {
  const attempts = await openTestAttempts();
  const noProgram = await attempts.run(orderOf({ argv: ["no-such-program"] }));
  expect(noProgram).toMatchObject({
    outcome: "failed",
    final: true,
    why: /there is no program no-such-program/ as never,
  });
  const noFolder = await attempts.run(orderOf({ ...script("true"), cwd: "/no/such/folder" }));
  expect(noFolder).toMatchObject({
    final: true,
    why: "the working folder does not exist on this host (/no/such/folder)",
  });
  const noUser = await attempts.run(orderOf({ ...script("true"), user: "nobody-at-all" }));
  expect(noUser).toMatchObject({ final: true, why: expect.stringMatching(/nobody-at-all/) });
  const noExecutor = await attempts.run(orderOf(script("true"), { executor: "ansible" }));
  expect(noExecutor).toMatchObject({ final: true, why: "this agent has no executor ansible" });
});

test("a step is done as the user it asks for, with that user's groups and home; or it is refused", async () => {
  const attempts = await openTestAttempts();
  if (userInfo().uid !== 0) {
    const ending = await attempts.run(orderOf({ ...script("true"), user: "daemon" }));
    return expect(ending).toMatchObject({ final: true, why: expect.stringMatching(/cannot become daemon/) });
  }
  const text =
    "id -un; echo $HOME $USER; touch mine; echo n=1 > $REEVE_OUTPUTS; touch $REEVE_HEARTBEAT; cat $1; echo hi >> /dev/stdout";
  const order = orderOf({ user: "daemon", files: { secret: "for daemon\n" }, argv: [] });
  const { files } = layoutOf(openRoots(attempts.folder), keyText(order));
  const ending = await attempts.run({
    ...order,
    with: { ...order.with, argv: ["/bin/sh", "-ec", text, "sh", join(files, "secret")] },
  });
  expect(attempts.read(order, "err")).toBe("");
  expect(ending).toMatchObject({ outcome: "succeeded", outputs: { n: "1" } });
  expect(attempts.read(order, "out")).toBe("daemon\n/usr/sbin daemon\nfor daemon\nhi\n");

  chmodSync(attempts.folder, 0o700);
  const closed = await attempts.run(orderOf({ ...script("true"), user: "daemon" }));
  expect(closed.why).toContain(`on the host: chmod o+x ${attempts.folder}`);
});

test("files of a body are its own, in memory, and gone with the attempt", async () => {
  const attempts = await openTestAttempts();
  const order = orderOf({ files: { script: "echo from a file\n" }, argv: [] }, { hide: ["hush"] });
  const { files, folder } = layoutOf(openRoots(attempts.folder), keyText(order));
  await attempts.run({ ...order, with: { ...order.with, argv: ["/bin/sh", join(files, "script")] } });
  expect(attempts.read(order, "out")).toBe("from a file\n");
  expect(statfsSync(files).type).toBe(statfsSync("/dev/shm").type);
  for (const name of ["script", "order"]) expect(statSync(join(files, name)).mode & 0o777).toBe(0o600);
  for (const name of ["out", "err", "record"])
    expect(statSync(join(folder, name)).mode & 0o777, name).toBe(0o600);
  attempts.forget(order);
  expect(attempts.output(order)).toMatchObject({ ended: true, hide: ["hush"] });
  expect(existsSync(folder)).toBe(true);
  attempts.shipped(order);
  await expect.poll(() => existsSync(folder) || existsSync(files)).toBe(false);
});

test("what a body leaves in its group ends with it", async () => {
  const attempts = await openTestAttempts();
  const order = orderOf(script("sleep 300 & echo $!"));
  expect(await attempts.run(order)).toMatchObject({ outcome: "succeeded" });
  await expect.poll(() => lives(Number(attempts.read(order, "out")))).toBe(false);
});

test("stopped, a body may end in its own way, and it is cancelled all the same", async () => {
  const attempts = await openTestAttempts();
  const order = orderOf(script("trap 'echo bye; exit 0' TERM; echo ready; while :; do sleep 0.05; done"));
  await attempts.start(order);
  await expect.poll(() => attempts.read(order, "out")).toBe("ready\n");
  attempts.stop(order, 20_000, "ada cancelled it");
  expect(await attempts.ended(order)).toMatchObject({
    outcome: "cancelled",
    exitCode: 0,
    why: "ada cancelled it",
  });
  expect(attempts.read(order, "out")).toBe("ready\nbye\n");
});

test("one that does not listen is killed after the grace, however often it is told, with children in sessions of their own", async () => {
  const attempts = await openTestAttempts();
  const order = orderOf(script("trap '' TERM; setsid sleep 300 & echo $! > pid; sleep 300 & wait; wait"));
  await attempts.start(order);
  const pidFile = join(attempts.folder, "attempts", keyText(order), "work/pid");
  await expect.poll(() => pidIn(pidFile)).toBeGreaterThan(0);
  const telling = setInterval(() => attempts.stop(order, 500, "ada cancelled it"), 50);
  onTestFinished(() => clearInterval(telling));
  expect(await attempts.ended(order)).toMatchObject({
    outcome: "cancelled",
    signal: "SIGKILL",
    why: "ada cancelled it (killed, as it did not end within 500ms)",
  });
  expect(lives(pidIn(pidFile))).toBe(false);
});

test("one that is stopped while it starts does not go on", async () => {
  const attempts = await openTestAttempts();
  const order = orderOf(script("sleep 300"));
  const started = attempts.start(order);
  attempts.stop(order, 0, "fenced");
  await started;
  expect(await attempts.ended(order)).toMatchObject({ outcome: "cancelled", why: "fenced" });
});

test("timeouts end an attempt that is too slow, and one that is silent, but not one that lives", async () => {
  const attempts = await openTestAttempts();
  const slow = attempts.run(orderOf(script("sleep 300"), { finishMs: 400 }));
  const silent = attempts.run(orderOf(script("sleep 300"), { heartbeatMs: 600 }));
  const touching = attempts.run(
    orderOf(script("for i in 1 2 3 4 5 6; do sleep 0.3; touch $REEVE_HEARTBEAT; done"), {
      heartbeatMs: 1500,
    }),
  );
  const writing = attempts.run(
    orderOf(script("for i in 1 2 3 4 5 6; do sleep 0.3; echo .; done"), { heartbeatMs: 1500 }),
  );
  expect(await slow).toMatchObject({ outcome: "failed", why: "ran longer than 400ms", signal: "SIGTERM" });
  expect(await silent).toMatchObject({ outcome: "failed", why: "no sign of life for 600ms" });
  expect(await touching).toMatchObject({ outcome: "succeeded" });
  expect(await writing).toMatchObject({ outcome: "succeeded" });
});

test("outputs are what the body wrote, without the secrets; bad ones fail it", async () => {
  const attempts = await openTestAttempts();
  const good = orderOf(
    script("echo rows=12 >> $REEVE_OUTPUTS; echo 'url=http://u:hush@db' >> $REEVE_OUTPUTS"),
    { hide: ["hush"] },
  );
  expect((await attempts.run(good)).outputs).toEqual({ rows: "12", url: "http://u:***@db" });
  const bad = await attempts.run(orderOf(script("echo nonsense > $REEVE_OUTPUTS")));
  expect(bad).toMatchObject({
    outcome: "failed",
    why: expect.stringMatching(/line 1 that is not key=value/),
  });
});

test("a body inside the agent touches no disk until it writes, and listens to a stop", async () => {
  const inside = insideExecutor(async ({ stdout, signal }) => {
    stdout("begun\n");
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
    return { outcome: "succeeded", why: "", outputs: { a: 1 } };
  });
  const quiet = { ...insideExecutor(async () => ({ outcome: "succeeded", why: "" })), name: "quiet" };
  const deaf = { ...insideExecutor(() => new Promise(() => {})), name: "deaf" };
  const attempts = await openTestAttempts(undefined, [inside, quiet, deaf]);
  const silent = orderOf({}, { executor: "quiet" });
  expect(await attempts.run(silent)).toMatchObject({ outcome: "succeeded" });
  expect([attempts.output(silent), readdirSync(join(attempts.folder, "attempts"))]).toEqual([undefined, []]);
  attempts.forget(silent);
  expect(attempts.held()).toEqual([]);

  const order = orderOf({}, { executor: "inside" });
  await attempts.start(order);
  await expect.poll(() => attempts.read(order, "out")).toBe("begun\n");
  attempts.stop(order, 20_000, "ada cancelled it");
  expect(await attempts.ended(order)).toMatchObject({ outcome: "cancelled", why: "ada cancelled it" });

  const unheard = orderOf({}, { executor: "deaf", finishMs: 100 });
  await attempts.start(unheard);
  attempts.stop(unheard, 50, "ada cancelled it");
  expect(await attempts.ended(unheard)).toMatchObject({ outcome: "cancelled" });
});

test("a key that is held is not begun again, and slots count what runs", async () => {
  const attempts = await openTestAttempts();
  const order = orderOf(script("echo ran; sleep 300"), { exclusive: true });
  await attempts.start(order);
  await attempts.start(order);
  await expect.poll(() => attempts.read(order, "out")).toBe("ran\n");
  expect(attempts.held()).toEqual([
    { key: { run: order.run, seq: 1, epoch: 1 }, exclusive: true, ended: false },
  ]);
  expect(attempts.freeSlots()).toBe(399);
  attempts.forget(order);
  attempts.stop(order, 0, "fenced");
  await expect.poll(() => attempts.freeSlots()).toBe(400);
  expect([attempts.held(), attempts.endings.size]).toEqual([[], 0]);
});

test("a record that is there already keeps the body from starting", async () => {
  const attempts = await openTestAttempts();
  const order = orderOf(script("echo ran"));
  const { folder, record } = layoutOf(openRoots(attempts.folder), keyText(order));
  mkdirSync(folder);
  writeFileSync(record, "");
  expect(await attempts.run(order)).toMatchObject({
    outcome: "failed",
    why: expect.stringMatching(/did not begin/),
  });
  expect(attempts.read(order, "out")).toBe("");
});
