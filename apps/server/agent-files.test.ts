import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { needs } from "../../tools/components.ts";
import { testServer } from "./testing.ts";

function get(url: string, host?: string): Promise<{ status: number; body: Buffer }> {
  return new Promise((resolve, reject) => {
    const sent = request(url, host === undefined ? {} : { headers: { host } }, async (response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of response) chunks.push(chunk as Buffer);
      resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks) });
    });
    sent.on("error", reject).end();
  });
}

test("the script names every file with its checksum, and anybody may have them", async () => {
  const { url } = await testServer({ settings: { REEVE_AGENT_URL: "https://one:1,https://two:2" } });
  const script = (await get(`${url}/agent/install.sh`)).body.toString();
  const sums = [...script.matchAll(/^([0-9a-f]{64}) {2}(\S+)$/gm)];
  expect(sums.map(([, , name]) => name).sort()).toEqual([
    "fault.mjs",
    "guard.sh",
    "reeve-agent.mjs",
    "reeve-agent.service",
    "root.conf",
    "shim.sh",
    "spawner.mjs",
    "yaml.mjs",
  ]);
  for (const [, sum, name] of sums) {
    const { body } = await get(`${url}/agent/files/${name}`);
    expect(createHash("sha256").update(body).digest("hex"), name).toBe(sum);
  }
  expect(script).toContain("Installs the Reeve agent test on this machine");
  expect(script).toContain("url='https://one:1,https://two:2'");
  expect(script).toContain(`base='${url}'`.replace("localhost", new URL(url).hostname));
  // What is left are the two marks of the unit, which the script fills in.
  expect(script.match(/@[A-Z_]+@/g)).toEqual(["@LIB@", "@DATA@"]);
  expect((await get(`${url}/agent/files/..%2fpackage.json`)).status).toBe(404);
});

test("a Host that is none never gets into the script", async () => {
  const { url } = await testServer();
  for (const host of ["a'; rm -rf / #", "$(id)", "a b"])
    expect([400, 422]).toContain((await get(`${url}/agent/install.sh`, host)).status);
});

test("the unit is one that systemd takes, and a hardened one", needs("systemd"), () => {
  const folder = mkdtempSync(join(tmpdir(), "reeve-unit-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const unit = join(folder, "reeve-agent.service");
  const text = readFileSync(join(import.meta.dirname, "../../deploy/agent/reeve-agent.service"), "utf8");
  writeFileSync(
    unit,
    text.replace("@LIB@/node", process.execPath).replaceAll("@LIB@", folder).replaceAll("@DATA@", folder),
  );
  expect(execFileSync("systemd-analyze", ["verify", unit], { encoding: "utf8", stdio: "pipe" })).toBe("");
  const said = execFileSync("systemd-analyze", ["security", "--offline=true", unit], { encoding: "utf8" });
  expect(Number(/exposure level for \S+: ([\d.]+)/.exec(said)?.[1])).toBeLessThan(3);
});
