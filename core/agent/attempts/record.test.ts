import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { preventStart } from "./record.ts";
import { testFolder } from "./testing.ts";

const shim = fileURLToPath(import.meta.resolve("./shim.sh"));

test("a shim that is held up between its mark and its line begins nothing once an agent has given it up", async () => {
  const folder = testFolder();
  const [record, go, begun, launch] = ["record", "go", "begun", "launch"].map((name) =>
    join(folder, name),
  ) as [...[string, string, string, string]];
  const args = [record, "'boot 1 0'", "022 '' '' ''", join(folder, "out"), join(folder, "err"), folder];
  const slow = `printf() { while ! [ -e ${go} ]; do sleep 0.05; done; command printf "$@"; }`;
  writeFileSync(launch, `set -- ${args.join(" ")} touch ${begun}\nvariables() { :; }\n${slow}\n`);
  const child = spawn("/bin/sh", [shim, launch], { detached: true, stdio: "ignore" });
  onTestFinished(() => void child.kill("SIGKILL"));
  const exited = once(child, "exit");
  await expect.poll(() => existsSync(record)).toBe(true);
  expect(await preventStart(record)).toBe(true);
  writeFileSync(go, "");
  expect((await exited)[0]).toBe(99);
  expect(existsSync(begun)).toBe(false);
});
