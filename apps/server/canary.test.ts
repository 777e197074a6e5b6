import { describe, expect, test } from "vitest";
import { needs } from "../../tools/components.ts";
import { testServer } from "./testing.ts";
import { patientWithLinks } from "./testing-agents.ts";
import { backUp, verdict } from "./testing-backup.ts";
import { findSecret, hearOutput, marker, newCanary, type Plant, type Planted } from "./testing-canary.ts";
import { crawls } from "./testing-crawls.ts";
import { behindProxy, done, inScope } from "./testing-people.ts";
import { hostPlants } from "./testing-plants-hosts.ts";
import { peoplePlants } from "./testing-plants-people.ts";
import { repositoryPlants } from "./testing-plants-repositories.ts";
import { runPlants } from "./testing-plants-runs.ts";
import { secretPlants } from "./testing-plants-secrets.ts";
import { plantSettings } from "./testing-plants-settings.ts";
import { toldPlants } from "./testing-plants-told.ts";
import { vouchedPlants } from "./testing-plants-vouched.ts";

/**
 * Secrets are given to the server in every way there is; then everything that can be read is read, and none of them may be there.
 * Whoever adds a way to give or to make a secret adds a plant. Routes that read are found by the description of the API, and fail
 * until something is planted that they show; whoever adds a read that is in no description adds a crawl.
 */
const plants: readonly Plant[] = [
  ...secretPlants,
  ...peoplePlants,
  ...vouchedPlants,
  ...runPlants,
  ...hostPlants,
  ...toldPlants,
  ...repositoryPlants,
];

/** What no plant needs, and is there to be read. */
const ordinary = {
  [inScope("acme/shop")]: { description: marker },
  [inScope("acme/shop/prod")]: {},
  "/quotas/all": { limits: { resources: 1_000_000 } },
  "/groups/all": { members: [{ kind: "User", name: "ada" }] },
  "/roles/reader": { allows: ["projects:read"] },
};

const settings = {
  ...behindProxy,
  ...patientWithLinks,
  REEVE_AGENT_PROXIES: "127.0.0.1",
  REEVE_HOME_AGENT: "on",
  REEVE_LOG_LEVEL: "debug",
  REEVE_NOTIFY_NETWORKS: "127.0.0.0/8",
  REEVE_RECORD_TERMINALS: "true",
};

describe("planted secrets", needs("git"), () => {
  test("no secret is found in any read, row, log line, backup or answer", { timeout: 480_000 }, async () => {
    const output = hearOutput();
    const found: string[] = [];
    try {
      const outside = await plantSettings();
      const server = await testServer({ settings: { ...settings, ...outside.settings } });
      for (const [path, spec] of Object.entries(ordinary))
        await done(server.call("PUT", path, { body: { spec } }));
      const planted: (Planted & Pick<Plant, "what">)[] = [outside.planted];
      for (const { what, plant } of plants) planted.push({ what, ...(await plant(server)) });
      const look = (where: string, text: string) => {
        for (const { what, secrets } of planted)
          for (const secret of secrets)
            found.push(...findSecret(text, secret).map((form) => `${what}: found in ${where}, ${form}`));
      };
      for (const { what, answers } of planted) look(`the answers to: ${what}`, JSON.stringify(answers ?? []));
      await backUp(server, "all");
      expect(await verdict(server, "all")).toMatchObject({ status: "true" });
      const people = planted.flatMap((one) => one.people ?? []);
      for (const { what, showsSpecs, read } of crawls) {
        const text = await read(server, people);
        expect(findSecret(text, marker).length > 0, `${what} shows specs`).toBe(showsSpecs);
        look(what, text);
      }
      for (const [where, text] of Object.entries(outside.went())) {
        expect(text.length, where).toBeGreaterThan(100);
        look(where, text);
      }
      look("the log", output.text());
    } finally {
      output.stop();
    }
    expect(output.text(), "the log was heard").toContain("a request failed");
    expect(output.text(), "the agent was heard").toContain("reeve-agent: connected");
    expect(found).toEqual([]);
  });

  test("the search finds a secret however it is written", () => {
    const secret = newCanary();
    for (const before of ["", "a", "ab", "abc"])
      for (const form of ["utf8", "hex", "base64", "base64url"] as const)
        expect(findSecret(Buffer.from(`${before}${secret}xyz`).toString(form), secret), form).toHaveLength(1);
    expect(findSecret(newCanary(), secret)).toEqual([]);
  });
});
