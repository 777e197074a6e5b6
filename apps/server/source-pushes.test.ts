import { createHmac } from "node:crypto";
import { expect, test } from "vitest";
import { type TestServer, testServer } from "./testing.ts";
import { done } from "./testing-people.ts";

const shop = "/organizations/acme/projects/shop";
const body = { ref: "refs/heads/main" };
const hex = (secret: string) => createHmac("sha256", secret).update(JSON.stringify(body)).digest("hex");
const styles = {
  github: (secret: string) => ({ "x-hub-signature-256": `sha256=${hex(secret)}` }),
  gitea: (secret: string) => ({ "x-gitea-signature": hex(secret) }),
  gitlab: (secret: string) => ({ "x-gitlab-token": secret }),
};

async function following(): Promise<TestServer> {
  const server = await testServer();
  await done(server.call("PUT", shop, { body: {} }));
  await done(server.call("PUT", `${shop}/secrets/git`, { body: {} }));
  await done(server.call("POST", `${shop}/secrets/git/actions/set`, { body: { values: { hook: "hush" } } }));
  const git = { url: "https://git.example.com/flows.git" };
  const push = { secret: { secretRef: { name: "git", key: "hook" } } };
  await done(server.call("PUT", `${shop}/sources/flows`, { body: { spec: { git, push } } }));
  await done(server.call("PUT", `${shop}/sources/silent`, { body: { spec: { git } } }));
  return server;
}

const tell = (server: TestServer, source: string, headers: Record<string, string>) =>
  server.call("POST", `/pushes/acme/shop/${source}`, { token: null, body, headers });
const audited = (server: TestServer) =>
  server.database.query("select name, subject from audit where operation = 'push' and outcome = 'done'");

test.each(Object.entries(styles))(
  "a push that %s signs is noted, once until it is looked at",
  async (_, sign) => {
    const server = await following();
    // Its first fetch waits for an agent, so no push is looked at before that.
    const fetching = async () => (await server.call("GET", `${shop}/sources/flows`)).body.status.run;
    await expect.poll(fetching).toEqual(expect.any(String));
    for (let again = 0; again < 2; again++) await done(tell(server, "flows", sign("hush")));
    expect(await audited(server)).toEqual([{ name: "flows", subject: "anonymous" }]);
    const { status } = (await server.call("GET", `${shop}/sources/flows`)).body;
    expect(status.pushedAt).toEqual(expect.any(String));
  },
);

test("without a valid signature the answer does not tell whether there is such a source", async () => {
  const server = await following();
  const answers = [
    await tell(server, "flows", {}),
    ...(await Promise.all(Object.values(styles).map((sign) => tell(server, "flows", sign("guess"))))),
    await tell(server, "flows", styles.gitlab("")),
    await tell(server, "silent", styles.github("hush")),
    await tell(server, "silent", styles.gitlab("")),
    await tell(server, "nothing", styles.gitea("hush")),
  ];
  expect(new Set(answers.map((answer) => `${answer.status} ${answer.body.detail}`))).toEqual(
    new Set(["401 there is no such source, or its signature is missing or wrong"]),
  );
  expect(await audited(server)).toEqual([]);
  await done(server.call("PATCH", `${shop}/sources/flows`, { body: { metadata: { paused: true } } }));
  expect((await tell(server, "flows", styles.github("hush"))).status).toBe(412);
});
