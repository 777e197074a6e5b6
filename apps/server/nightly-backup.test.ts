import { readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { type TestServer, testServer } from "./testing.ts";
import { backupFolder, verdict } from "./testing-backup.ts";
import { done, newProgram } from "./testing-people.ts";

const nightly = "/workflows/nightly-backup";

async function runsOf(server: TestServer) {
  return (await server.call("GET", "/runs?about=Workflow/nightly-backup")).body.items as {
    id: string;
    state: string;
    why: string;
    cause: string;
  }[];
}

test("a server that knows where to makes a backup when the night comes, and the run ends as the backup does", async () => {
  const { to, settings } = await backupFolder();
  const server = await testServer({ settings });
  const [schedule] = (await server.call("GET", "/schedules")).body.items;
  expect(schedule).toMatchObject({ workflow: "nightly-backup", name: "nightly", paused: false });
  expect(new Date(schedule.nextAt).getUTCHours()).toBe(3);

  // As if the server had been away when it was time.
  await server.database.query("update schedule set next_at = next_at - interval '1 day'");
  await expect
    .poll(async () => (await runsOf(server))[0]?.state, { timeout: 60_000 })
    .toMatch(/succeeded|failed/);
  const [run] = await runsOf(server);
  expect(run).toMatchObject({ state: "succeeded", cause: "schedule" });
  const [step] = (await server.call("GET", `/runs/${run?.id}/steps`)).body.items;
  const name = step.outputs.backup as string;
  expect(await verdict(server, name)).toMatchObject({ status: "true", reason: "Restored" });
  expect(readdirSync(to)).toContain(name);
});

test("what people made of the workflow stays, and off makes none", async () => {
  const { settings } = await backupFolder();
  const server = await testServer({ settings });
  const { spec } = (await server.call("GET", nightly)).body;
  const changed = {
    ...spec,
    schedules: [{ name: "nightly", cron: "30 1 * * *", timezone: "Europe/Berlin" }],
  };
  await done(server.call("PUT", nightly, { body: { spec: changed } }));
  const again = await testServer({ settings, share: server });
  expect((await again.call("GET", nightly)).body.spec.schedules[0].cron).toBe("30 1 * * *");

  const other = await testServer({ settings: { ...settings, REEVE_BACKUP_NIGHTLY: "off" } });
  expect((await other.call("GET", nightly)).status).toBe(404);
  expect((await (await testServer()).call("GET", nightly)).status).toBe(404);
});

test("a storage that is not there is said by the step that waits, and the run's time ends it", async () => {
  const server = await testServer();
  const steps = [{ name: "save", make: { kind: "Backup" } }];
  await done(server.call("PUT", "/workflows/save", { body: { spec: { steps, timeout: "20s" } } }));
  const { run } = (await server.call("POST", "/workflows/save/actions/trigger", { body: {} })).body;
  const step = async () => (await server.call("GET", `/runs/${run}/steps`)).body.items[0];
  await expect.poll(async () => (await step()).why).toMatch(/REEVE_BACKUP_TO/);
  expect(await step()).toMatchObject({ state: "waiting", reason: "resource" });
  await expect.poll(async () => (await server.call("GET", `/runs/${run}`)).body.state).toBe("failed");
});

test("a step makes only what its author may make, and only what steps can make", async () => {
  const server = await testServer();
  const editor = await newProgram(server, "acme", "ed", [{ scope: "", role: "editor" }]);
  const put = (kind: string, more: object = {}, at = "/workflows/save") =>
    server.call("PUT", at, { body: { spec: { steps: [{ name: "save", make: { kind } }] } }, ...more });
  const refused = await put("Backup", { token: editor.token });
  expect(refused.status).toBe(403);
  expect(refused.body.detail).toContain("backups:create");
  expect((await put("User")).body.errors).toEqual([
    { pointer: "/spec/steps/0/make/kind", message: "steps cannot make a User" },
  ]);
  const inScope = await put("Backup", {}, "/organizations/acme/workflows/save");
  expect(inScope.body.errors[0].message).toBe("there is no Backup in a scope like this one");

  // What an owner wrote an editor may keep, but not change.
  await done(put("Backup"));
  const written = (await server.call("GET", "/workflows/save")).body.spec;
  const edit = (spec: object) =>
    server.call("PUT", "/workflows/save", { body: { spec }, token: editor.token });
  await done(edit({ ...written, description: "other words" }));
  expect(
    (await edit({ steps: [{ name: "save", make: { kind: "Backup", spec: { description: "mine" } } }] }))
      .status,
  ).toBe(403);
});
