import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { needs } from "../../tools/components.ts";
import { type TestServer, testServer } from "./testing.ts";
import { done } from "./testing-people.ts";
import { seen } from "./testing-until.ts";

/** Two cores may have much else to do. */
const soon = <T>(look: () => T | Promise<T>, wanted: unknown) => seen(look, wanted, 60_000);

const wanted = { scope: "acme", name: "db", hosts: { names: ["one"] } };

async function rendered(server: TestServer, template: string, body: object = wanted) {
  return server.call("POST", `/service-templates/${template}/render`, { body });
}

interface Rendered {
  readonly kind: string;
  readonly spec: {
    readonly files: Record<string, string>;
    readonly environment: Record<string, string | object>;
  };
}

test("what is made of a template is applied as it is; its password is made by the server, once, and seen by nobody", async () => {
  const server = await testServer();
  const { items } = (await done(server.call("GET", "/service-templates"))).body;
  expect(items.map(({ name }: { name: string }) => name)).toContain("postgres");
  expect((await server.call("GET", "/service-templates", { token: null })).status).toBe(401);
  expect(
    (await done(server.call("GET", "/service-templates/postgres"))).body.files["compose.yaml"],
  ).toContain("image");
  expect((await server.call("GET", "/service-templates/nope")).body.next).toContain("postgres");
  const refused = await rendered(server, "postgres", { ...wanted, inputs: { port: "x" } });
  expect([refused.status, refused.body.errors]).toEqual([
    422,
    [{ pointer: "/inputs/port", message: "must be a whole number" }],
  ]);

  const { manifests } = (await done(rendered(server, "postgres"))).body;
  const apply = () => server.call("POST", "/apply", { body: { resources: manifests } });
  const applied = (await done(apply())).body;
  expect(applied.results.map(({ outcome }: { outcome: string }) => outcome)).toEqual(["created", "created"]);
  const secret = async () => (await server.call("GET", "/organizations/acme/secrets/db")).body.status;
  await soon(async () => (await secret()).keys, ["password"]);
  expect((await secret()).versions).toMatchObject([{ version: 1, by: "system", keys: ["password"] }]);
  const audited = (await done(server.call("GET", "/audit?kind=Secret&name=db&operation=generate"))).body
    .items;
  expect(audited).toMatchObject([{ detail: { version: 1, keys: ["password"], set: ["password"] } }]);

  // One that somebody has set stays, and so does one that was made.
  await done(
    server.call("POST", "/organizations/acme/secrets/db/actions/set", {
      body: { values: { other: "mine" } },
    }),
  );
  await done(apply());
  await done(
    server.call("PATCH", "/organizations/acme/secrets/db", {
      body: { spec: { keys: { other: { generate: true }, third: { generate: true } } } },
    }),
  );
  await soon(async () => (await secret()).keys, ["other", "password", "third"]);
  expect((await secret()).versions).toMatchObject([{ version: 3 }, { version: 2 }, { version: 1 }]);
});

test("Compose itself reads every template", needs("docker"), async () => {
  const server = await testServer();
  const { items } = (await done(server.call("GET", "/service-templates"))).body;
  for (const { name } of items as { name: string }[]) {
    const { manifests } = (await done(rendered(server, name))).body as { manifests: Rendered[] };
    const { spec } = manifests.at(-1) as Rendered;
    const config = composeConfig(spec);
    expect(config.status, `${name}: ${config.stderr}`).toBe(0);
    expect(config.stderr, name).toBe("");
    const { services } = JSON.parse(config.stdout) as { services: Record<string, { image: string }> };
    for (const { image } of Object.values(services)) expect(image, name).toMatch(/:[\w.-]+$/);
  }
});

/** With what a secret might be, of all that could hurt. */
function composeConfig({ files, environment }: Rendered["spec"]) {
  const folder = mkdtempSync(join(tmpdir(), "reeve-template-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  const env = Object.entries(environment).map(([name, value]) => [
    name,
    typeof value === "string" ? value : "a'\"$b: {c}\n#d",
  ]);
  return spawnSync("docker", ["compose", "-p", "thing", "config", "--format", "json"], {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder, ...Object.fromEntries(env) },
    encoding: "utf8",
  });
}
