import { readFileSync } from "node:fs";
import { join } from "node:path";
import { serveGit, testRepository } from "@reeve/git/testing";
import { expect, onTestFinished } from "vitest";
import type { TestServer } from "./testing.ts";
import { marker, newCanary, type Plant } from "./testing-canary.ts";
import { done, inScope } from "./testing-people.ts";
import { answeringHost, tellUsage } from "./testing-plants-hosts.ts";
import { newSecret } from "./testing-plants-secrets.ts";
import { composeOf, fromFolder } from "./testing-repositories.ts";
import { fetched } from "./testing-services.ts";

/** What opens repositories and what lies in them encrypted, and what tells of pushes. */
export const repositoryPlants: readonly Plant[] = [
  {
    what: "what opens a repository and its files, right and wrong, and tells of pushes",
    plant: plantRepository,
  },
];

const shop = inScope("acme/shop");
const fixtures = join(import.meta.dirname, "../../areas/services/control/encrypted/fixtures");
const fixture = (name: string) => readFileSync(join(fixtures, name), "utf8");

async function plantRepository(server: TestServer) {
  const [password, hook, wrong] = [newCanary(), newCanary(), newCanary()];
  await newSecret(server, "git", { password, hook, wrong, age: fixture("identity.txt") });
  const ref = (key: string) => ({ secretRef: { name: "git", key } });
  const url = await serve(password);
  const push = { secret: ref("hook") };
  const kinds = {
    "repositories/apps": {
      ...{ git: { url, ref: "main", password: ref("password") }, every: "1h", push },
      decryption: { identity: ref("age") },
    },
    "repositories/locked": { git: { url, ref: "main", password: ref("wrong") }, every: "1h" },
    "repositories/telling": {
      git: { url: url.replace("flows.git", "telling.git"), password: ref("password") },
      every: "1h",
    },
    "sources/flows": {
      git: { url, ref: "main", path: "flows", password: ref("password") },
      every: "1h",
      push,
    },
    "sources/telling": {
      git: { url: url.replace("flows.git", "telling.git"), password: ref("password") },
      every: "1h",
    },
  };
  for (const [path, spec] of Object.entries(kinds))
    await done(server.call("PUT", `${shop}/${path}`, { body: { spec } }));
  const wordsOf = async (path: string) => {
    const { conditions = [] } = (await server.call("GET", `${shop}/${path}`)).body.status;
    return conditions.map(({ message }: { message: string }) => message).join();
  };
  const told = (path: string, words: RegExp) =>
    expect.poll(() => wordsOf(path), { timeout: 60_000, interval: 100 }).toMatch(words);
  await told("repositories/apps", /^revision/);
  await told("repositories/locked", /Authentication failed/);
  await told("repositories/telling", /no such repository/);
  await told("sources/telling", /no such repository/);
  await told("sources/flows", /^1 workflows of/);

  const host = await answeringHost(server, "two", "acme/shop");
  const spec = { ...fromFolder("web"), hosts: { names: ["two"] } };
  await done(server.call("PUT", `${shop}/services/opened`, { body: { spec } }));
  const service = `${shop}/services/opened`;
  const digest = async () => (await server.call("GET", service)).body.status.source?.digest;
  await expect.poll(digest, { timeout: 60_000 }).toEqual(expect.any(String));
  const deployed = await done(server.call("POST", `${service}/actions/deploy`, { body: {} }));
  expect(await fetched(host, `services/opened/${await digest()}`)).toContain("hunter2");
  await done(server.call("POST", `/runs/${deployed.body.run}/cancel`, { body: {} }));
  await tellUsage(host, (await server.call("GET", service)).body.metadata.uid);

  const tell = (path: string, token: string) =>
    server.call("POST", path, {
      ...{ token: null, body: { ref: "refs/heads/main" } },
      headers: { "x-gitlab-token": token },
    });
  const answers = [
    await tell("/repository-pushes/acme/shop/apps", hook),
    await tell("/pushes/acme/shop/flows", hook),
    await tell("/repository-pushes/acme/shop/apps", wrong),
    await tell("/pushes/acme/shop/flows", wrong),
  ];
  expect(answers.map(({ status }) => status < 300)).toEqual([true, true, false, false]);
  const [identity = ""] = /AGE-SECRET-KEY-\S+/.exec(fixture("identity.txt")) ?? [];
  return {
    secrets: [password, hook, wrong, identity, "hunter2"],
    answers: [deployed.body, ...answers.map(({ body }) => body)],
  };
}

/** A Git server that asks for a password; at another address it repeats what it was asked with. */
async function serve(password: string): Promise<string> {
  const end = (done: () => void) => onTestFinished(done);
  const repository = testRepository(end);
  const workflow = { apiVersion: "reeve/v1", kind: "Workflow", metadata: { name: "fetched" } };
  repository.push({
    "web/compose.yaml": composeOf(marker),
    "web/app.env": fixture("app.env"),
    "flows/fetched.workflow.yaml": JSON.stringify({
      ...workflow,
      spec: { steps: [{ name: "a", wait: "1s" }] },
    }),
  });
  const { url } = await serveGit(repository.root, end, {
    password,
    before({ url, headers: { authorization } }, answer) {
      if (!url?.startsWith("/telling.git") || authorization === undefined) return false;
      answer.writeHead(403, { "content-type": "text/plain" });
      answer.end(`no such repository for ${authorization}, which is ${password}\n`);
      return true;
    },
  });
  return url;
}
