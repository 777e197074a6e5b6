import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Ending, keyText, openAttempts, type StartOrder } from "@reeve/agent";
import type { JsonObject } from "@reeve/model";
import { expect, onTestFinished, test } from "vitest";
import { needs } from "../../../tools/components.ts";
import { workflowExecutors } from "./index.ts";

let runs = 0;

/** One attempt by the real executor under a real shim. */
async function run(
  executor: string,
  body: JsonObject,
  hide: string[] = [],
): Promise<{ ending: Ending; out: string; err: string }> {
  const folder = mkdtempSync(join(tmpdir(), "reeve-executors-"));
  const names = { scope: "acme", workflow: "nightly", step: "load", number: 2, exclusive: false };
  const order: StartOrder = {
    run: `executor-${process.pid}-${++runs}`,
    seq: 3,
    epoch: 1,
    executor,
    with: body,
    hide,
    ...names,
  };
  const ending = await new Promise<Ending>((resolve) => {
    const attempts = openAttempts({
      folder,
      executors: workflowExecutors,
      slots: 1,
      onEnd: (_, ended) => resolve(ended),
    });
    onTestFinished(async () => {
      attempts.forget(order);
      attempts.shipped(order);
      await attempts.close();
      rmSync(folder, { recursive: true, force: true });
    });
    void attempts.start(order);
  });
  const read = (file: string) => {
    const there = ending.startedAt && executor !== "noop";
    return there ? readFileSync(join(folder, "attempts", keyText(order), file), "utf8") : "";
  };
  return { ending, out: read("out"), err: read("err") };
}

test("a shell script ends at its first failure, and sees its variables whatever their type", async () => {
  const { ending, out } = await run("shell", {
    script:
      'echo "$NAME $COUNT $LIST$NONE"; echo "$REEVE_STEP $REEVE_ATTEMPT $REEVE_SCOPE $REEVE_WORKFLOW"; false; echo not here',
    env: { NAME: "a b", COUNT: 3, LIST: [1, "x"], NONE: null },
  });
  expect(out).toBe('a b 3 [1,"x"]\nload 2 acme nightly\n');
  expect(ending).toMatchObject({ outcome: "failed", exitCode: 1 });
});

test(
  "bash fails with its pipes; a first line of its own names another interpreter",
  needs("python"),
  async () => {
    const bash = await run("shell", { script: "false | true\necho not here", shell: "bash" });
    expect(bash).toMatchObject({ out: "", ending: { outcome: "failed", exitCode: 1 } });
    const python = await run("shell", {
      script: "#!/usr/bin/env python3\nimport sys; print(sys.version_info[0])",
    });
    expect(python).toMatchObject({ out: "3\n", ending: { outcome: "succeeded" } });
  },
);

test("a script is not on a command line, and nobody else can read it", async () => {
  const { out } = await run(
    "shell",
    { script: "cat /proc/$$/cmdline | tr '\\0' ' '; : hush; stat -c %a \"$0\"" },
    ["hush"],
  );
  expect(out).not.toContain("hush");
  expect(out).toMatch(/ 600\n$/);
});

test("a python script gets its arguments and gives outputs", needs("python"), async () => {
  const { ending, out } = await run("python", {
    script:
      "import json, os, sys\nprint(sys.argv[1:])\njson.dump({'rows': 12}, open(os.environ['REEVE_OUTPUTS'], 'w'))",
    args: ["a b", "--c"],
  });
  expect(out).toBe("['a b', '--c']\n");
  expect(ending).toMatchObject({ outcome: "succeeded", outputs: { rows: 12 } });
});

test("noop does nothing, and succeeds", async () => {
  expect((await run("noop", {})).ending).toMatchObject({ outcome: "succeeded", why: "" });
});

test.each([
  [{ script: " " }, /^with.script: is empty/],
  [{ script: "true", memory: "much" }, /^with.memory: /],
  [{ script: "true", umask: 22 }, /^with.umask: /],
  [{ script: "true", nice: 30 }, /^with.nice: /],
  [{ script: "true", shell: "bash -c" }, /^with.shell: must be one program/],
  [{ script: "true", user: "-root" }, /^with.user: is no name of a user/],
  [{ script: "true", env: { "A-B": "1" } }, /^with.env.A-B: /],
  [{ script: "true", colour: "red" }, /colour/],
])("%j is refused for good, by its field", async (body, why) => {
  const { ending } = await run("shell", body as JsonObject);
  expect(ending).toMatchObject({ outcome: "failed", final: true, why: expect.stringMatching(why) });
});
