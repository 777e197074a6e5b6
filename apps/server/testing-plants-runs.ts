import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished } from "vitest";
import type { TestServer } from "./testing.ts";
import { marker, newCanary, type Plant } from "./testing-canary.ts";
import { done, inScope } from "./testing-people.ts";
import { newSecret } from "./testing-plants-secrets.ts";

/** What a real agent, the server's own, is given for the steps that it does. */
export const runPlants: readonly Plant[] = [
  { what: "a secret that steps print, give back, fail with and send", plant: plantSteps },
  { what: "a reference to a secret that is given as an input", plant: plantSmuggling },
];

const shop = inScope("acme/shop");

async function newWorkflow(server: TestServer, name: string, spec: object): Promise<void> {
  await done(server.call("PUT", `${shop}/workflows/${name}`, { body: { spec } }));
}

/** How a run ended that was begun now. */
async function ran(server: TestServer, name: string, inputs: object = {}): Promise<string> {
  const path = `${shop}/workflows/${name}/actions/trigger`;
  const { run } = (await done(server.call("POST", path, { body: { inputs } }))).body;
  const state = async (): Promise<string> => (await server.call("GET", `/runs/${run}`)).body.state;
  await expect.poll(state, { timeout: 120_000, interval: 100 }).toMatch(/succeeded|failed|cancelled/);
  return state();
}

/** A server that tells everybody what it was asked with, as many do for debugging. */
async function tellingServer(): Promise<string> {
  const server = createServer((request, response) => {
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ url: request.url, headers: request.headers }));
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function plantSteps(server: TestServer) {
  const [token, password] = [newCanary(), newCanary()];
  await newSecret(server, "steps", { token, password });
  const connection = {
    ...{ type: "http", url: "https://api.example.com", user: "robot" },
    password: { secretRef: { name: "steps", key: "password" } },
  };
  await done(server.call("PUT", `${shop}/connections/api`, { body: { spec: connection } }));
  await newWorkflow(server, "inner", {
    inputs: { word: {} },
    steps: [{ name: "say", run: 'echo "${{ inputs.word }} ${{ secrets.steps.token }}"' }],
  });
  await newWorkflow(server, "steps", stepsWith(await tellingServer()));
  expect(await ran(server, "steps")).toBe("succeeded");
  const range = { schedule: "daily", from: "2026-01-01T00:00:00Z", until: "2026-01-02T12:00:00Z" };
  const path = `${shop}/workflows/steps/actions/backfill`;
  const backfill = await done(server.call("POST", path, { body: range }));
  return { secrets: [token, password], answers: [backfill.body] };
}

/** As programs print their header when they are asked to tell more. */
const header = `Basic $(printf %s "robot:$PASSWORD" | base64 | tr -d '\\n')`;

function stepsWith(telling: string) {
  const alone = { needs: [], mayFail: true };
  const asking = { allowPrivate: true, headers: { authorization: "Bearer ${{ secrets.steps.token }}" } };
  const print = [
    `echo "${marker} $TOKEN $PASSWORD ${header}"`,
    'echo "ERROR $TOKEN" >&2',
    `printf '{"%s":["%s"],"header":"%s"}' "$TOKEN" "$PASSWORD" "${header}" > "$REEVE_OUTPUTS"`,
  ];
  return {
    description: marker,
    env: { TOKEN: "${{ secrets.steps.token }}", PASSWORD: "${{ connections.api.password }}" },
    steps: [
      { name: "print", run: print.join("\n") },
      { name: "inner", workflow: { name: "inner", inputs: { word: "${{ steps.print.outputs.header }}" } } },
      { name: "fail", ...alone, run: 'echo "$TOKEN"; exit 3', retry: { times: 1, delay: "1s" } },
      { name: "bad-outputs", ...alone, run: 'echo "$TOKEN" > "$REEVE_OUTPUTS"' },
      {
        name: "refused",
        ...alone,
        http: { ...asking, url: "http://127.0.0.1:1/${{ secrets.steps.token }}" },
      },
      { name: "each", ...alone, each: ["a", "b"], run: 'echo "$TOKEN ${{ item }}"' },
      {
        name: "ask",
        needs: [],
        http: { ...asking, url: `${telling}/?key=$\{{ secrets.steps.password }}` },
      },
    ],
    outputs: { header: "${{ steps.print.outputs.header }}", asked: "${{ steps.ask.outputs.body }}" },
    schedules: [{ name: "daily", cron: "0 3 * * *", paused: true }],
  };
}

async function plantSmuggling(server: TestServer) {
  const secret = newCanary();
  await newSecret(server, "smuggled", { key: secret });
  await newWorkflow(server, "smuggling", {
    inputs: { word: {} },
    steps: [{ name: "say", run: 'echo "${{ inputs.word }}"' }],
  });
  expect(await ran(server, "smuggling", { word: "${{ secrets.smuggled.key }}" })).toBe("failed");
  return { secrets: [secret] };
}
