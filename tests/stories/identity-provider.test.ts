import { expect, onTestFinished, test } from "vitest";
import type { TestServer } from "../../apps/server/testing.ts";
import { federate, openBrowser, startProvider } from "../../apps/server/testing-provider.ts";
import { password, setUp } from "../harness/api.ts";
import { openBench } from "../harness/bench.ts";
import { type Cli, openCli } from "../harness/cli.ts";
import { startServer } from "../harness/server-process.ts";
import { until } from "../harness/until.ts";

/** Starts a verb that sends a person to the provider, and goes there in a browser as that person. */
async function walk(reeve: Cli, args: readonly string[], person: string) {
  const running = reeve.start(args);
  const address = await until("the address to open", () => {
    if (running.hasEnded()) throw new Error(running.stderr());
    return /^ {2}(http\S+)$/m.exec(running.stderr())?.[1];
  });
  const { text } = await openBrowser(person).follow(address);
  const { code } = await running.ended;
  return { code, text, stderr: running.stderr() };
}

test("at the command line a person signs in at a provider by browser, and links the user they have", async () => {
  const bench = openBench(onTestFinished);
  const server = await startServer(bench);
  const owner = await setUp(server.url, server.setupLink);
  const call: TestServer["call"] = (method, path, { body } = {}) =>
    owner.call(method, `/api/v1${path}`, { body });
  const provider = await startProvider(server);
  await federate({ call }, provider);
  await provider.tell("grace");
  await provider.tell("lovelace");

  const reeve = openCli(bench);
  const signedIn = await walk(reeve, ["login", server.url, "--provider", "corporate"], "grace");
  expect(signedIn).toMatchObject({ code: 0, text: "Done. You can close this window.\n" });
  expect((await reeve(["auth", "whoami"])).stdout).toContain("user:grace");

  const ada = openCli(bench);
  const login = ["login", server.url, "--user", "ada", "--password-stdin"];
  expect(await ada(login, { stdin: password })).toMatchObject({ code: 0 });
  expect(await walk(ada, ["auth", "link", "corporate"], "lovelace")).toMatchObject({ code: 0 });
  await walk(reeve, ["login", server.url, "--provider", "corporate"], "lovelace");
  expect((await reeve(["auth", "whoami"])).stdout).toContain("user:ada");
});
