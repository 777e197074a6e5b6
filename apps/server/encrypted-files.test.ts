import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Code } from "@connectrpc/connect";
import { describe, expect, test, vi } from "vitest";
import { needs } from "../../tools/components.ts";
import { refusalOf } from "./testing-agents.ts";
import { composeOf, fromFolder, house, patience, push, wordsOf } from "./testing-repositories.ts";
import { fetched, keeping, linked } from "./testing-services.ts";

/** Files that are encrypted in Git are opened for the agents of their service, and for nobody and nothing else. */

const fixtures = join(import.meta.dirname, "../../areas/services/control/encrypted/fixtures");
const fixture = (name: string) => readFileSync(join(fixtures, name), "utf8");
const plain = ["hunter2", 'with \\"quotes', 'with "quotes', "AGE-SECRET-KEY-1H8FRJH"];

/** All rows of all tables, as text. */
async function everything(server: Awaited<ReturnType<typeof house>>["server"]): Promise<string> {
  const tables = await server.database.query<{ name: string }>(
    "select table_name as name from information_schema.tables where table_schema = 'public'",
  );
  const rows = await Promise.all(
    tables.map(({ name }) => server.database.query(`select t::text as row from "${name}" t`)),
  );
  return JSON.stringify(rows);
}

describe("files that are encrypted in Git", { ...needs("git"), timeout: 300_000 }, () => {
  test("are opened on their way to the agents that keep the service, and stand nowhere else", async () => {
    const made = await house(
      {},
      { "web/app.env": fixture("app.env"), "web/token.age": fixture("armored.age") },
    );
    const { server } = made;
    const [one, two] = [await linked(server, "one", keeping), await linked(server, "two", keeping)];
    await made.apply("services", "web", fromFolder("web"));
    const said = async () => wordsOf(await made.read("services", "web"), "Source");
    await vi.waitFor(
      async () => expect(await said()).toContain("the Repository has no `decryption`"),
      patience,
    );

    await made.apply("secrets", "age", {});
    await made.act("secrets", "age", "set", { values: { key: "AGE-SECRET-KEY-1" } });
    const { spec } = await made.read("repositories", "apps");
    const decryption = { identity: { secretRef: { name: "age", key: "key" } } };
    expect((await made.apply("repositories", "apps", { ...spec, decryption })).status).toBe(200);
    expect((await made.act("services", "web", "deploy")).body.detail).toContain("no age identity");
    await made.act("secrets", "age", "set", { values: { key: fixture("identity.txt") } });
    const deployed = await made.act("services", "web", "deploy");
    expect(deployed.status, JSON.stringify(deployed.body)).toBe(200);

    const { digest } = (await made.read("services", "web")).status.source;
    const given = JSON.parse(await fetched(one, `services/bundles/${digest}`));
    expect(Object.keys(given)).toEqual(["app.env", "compose.yaml", "token.age"]);
    expect(JSON.parse(await fetched(one, `services/opened/${digest}`))).toEqual({
      "app.env": fixture("opened/app.env").replace(/^#.*\n/m, ""),
      token: fixture("opened/token.txt"),
    });
    for (const name of [`services/opened/${digest}`, `services/bundles/${digest}`])
      expect((await refusalOf(fetched(two, name))).code).toBe(Code.NotFound);
    expect((await refusalOf(fetched(one, "services/opened/00"))).code).toBe(Code.NotFound);

    await push(made, { "web/app.env": fixture("app.env").replace("seen", "changed") });
    await vi.waitFor(async () => expect(await said()).toContain("newer revision"), patience);
    expect((await made.act("services", "web", "deploy")).body.detail).toContain("app.env was changed after");
    const difference = await server.call("GET", "/organizations/acme/services/web/difference");
    expect(difference.body.hosts[0].files).toContainEqual({ path: "app.env", encrypted: true });
    const known = `${await everything(server)}${JSON.stringify(difference.body)}`;
    for (const secret of plain) expect(known).not.toContain(secret);
  });

  test("a file that would be delivered over another, and a Compose file that is encrypted, are refused", async () => {
    const files = {
      "web/token": "x",
      "web/token.age": fixture("armored.age"),
      "db/compose.yaml": fixture("values.yaml"),
    };
    const decryption = { identity: { secretRef: { name: "age", key: "key" } } };
    const made = await house({}, files);
    await made.apply("secrets", "age", {});
    const { spec } = await made.read("repositories", "apps");
    await made.apply("repositories", "apps", { ...spec, decryption });
    for (const name of ["web", "db"]) await made.apply("services", name, fromFolder(name));
    const said = async (name: string) => wordsOf(await made.read("services", name), "Source");
    await vi.waitFor(async () => {
      expect(await said("web")).toContain("token.age would be delivered as token");
      expect(await said("db")).toContain("compose.yaml is encrypted");
    }, patience);
    await push(made, { "web/token": undefined, "web/compose.yaml": composeOf("web:2"), "web/odd.age": "no" });
    await vi.waitFor(async () => expect(await said("web")).toContain("newer revision"), patience);
  });
});
