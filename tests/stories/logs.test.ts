import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openBench } from "../harness/bench.ts";
import { openShop, type Shop } from "../harness/shop.ts";
import { until } from "../harness/until.ts";

/** What steps write, as people read it: while it is written, from any place, and without the secrets in it. */
const bench = openBench(afterAll);
const secret = "s3cret-ninety-nine-bottles";
const password = "of-the-warehouse-42";
let shop: Shop;
let gate: string;

const vault = `apiVersion: reeve/v1
kind: Secret
metadata: { name: vault }
spec: {}
---
apiVersion: reeve/v1
kind: Connection
metadata: { name: warehouse }
spec:
  type: postgres
  host: db.example.com
  database: warehouse
  user: reader
  password: { secretRef: { name: vault, key: password } }
---
apiVersion: reeve/v1
kind: Connection
metadata: { name: search }
spec: { type: generic, values: { address: "https://\${{ secrets.vault.key }}@search" } }
`;

beforeAll(async () => {
  shop = await openShop(bench);
  gate = join(bench.folder(), "gate");
});

test("output is read while the step runs, complete and in order, from any offset, searched and downloaded", async () => {
  await shop.workflow("chatty", {
    steps: [
      {
        name: "talk",
        run: `echo first; echo "trouble ahead" >&2; while [ ! -e ${gate} ]; do sleep 0.05; done; seq 1 20000`,
      },
      { name: "bye", run: "echo bye" },
    ],
  });
  const id = await shop.begin("chatty");
  const tail = shop.reeve.start(["logs", id, "-f"]);
  await until(
    "the first lines, live",
    () => /talk \| first\n/.test(tail.stdout()) && /talk \| trouble ahead\n/.test(tail.stdout()),
  );
  expect((await shop.run(id)).state).toBe("running");
  expect(tail.hasEnded()).toBe(false);
  writeFileSync(gate, "");
  await shop.ended(id);
  expect(await tail.ended).toEqual({ code: 0, signal: null });

  const whole = `first\n${Array.from({ length: 20_000 }, (_, at) => `${at + 1}\n`).join("")}`;
  const followed = tail
    .stdout()
    .split("\n")
    .filter((line) => /^talk \| (first|\d+)$/.test(line));
  expect(followed.map((line) => `${line.slice("talk | ".length)}\n`).join("")).toBe(whole);
  const raw = (offset: number) =>
    shop.api.call("GET", `/api/v1/runs/${id}/steps/0/logs?stream=stdout&format=raw&offset=${offset}`);
  expect((await raw(0)).text).toBe(whole);
  expect((await raw(whole.length - 12)).text).toBe(whole.slice(-12));
  expect(await shop.done(["logs", id, "talk", "--stream", "stderr"])).toBe("trouble ahead\n");
  expect(await shop.done(["logs", id, "--grep", "ahead"])).toContain("trouble ahead");
  expect((await shop.reeve(["logs", id, "--grep", "behind"])).code).toBe(1);
  await shop.done(["logs", id, "--download", "run.txt"]);
  expect(readFileSync(join(shop.reeve.home, "run.txt"), "utf8")).toContain("20000");
  await shop.done(["logs", id, "--download", "run.tar"]);
  expect(existsSync(join(shop.reeve.home, "run.tar"))).toBe(true);
});

test("a secret reaches the step, also by a connection, and is blotted out of what it says: whole, split over writes, encoded, in outputs", async () => {
  const half = Math.floor(secret.length / 2);
  shop.write("vault.yaml", vault);
  await shop.done(["apply", "-f", "vault.yaml"]);
  await shop.done(["secret", "set", "vault", `key=${secret}`, `password=${password}`]);
  const proof = join(bench.folder(), "proof");
  await shop.workflow("leaky", {
    steps: [
      {
        name: "leak",
        env: {
          KEY: "${{ secrets.vault.key }}",
          LOGIN: "${{ connections.warehouse.user }}:${{ connections.warehouse.password }}",
        },
        run: [
          `printf '%s' "$LOGIN \${{ connections.search.address }}" > ${proof}-connections`,
          'echo "login=$LOGIN"',
          'echo "search=${{ connections.search.address }}"',
          `printf '%s' "$KEY" > ${proof}`,
          'echo "key=$KEY"',
          `printf '%s' "$KEY" | head -c ${half}; sleep 0.5; printf '%s' "$KEY" | tail -c +${half + 1}; echo " split"`,
          'echo "error: $KEY" >&2',
          `printf '%s' "$KEY" | base64 -w0`,
          'echo "copy=$KEY" >> "$REEVE_OUTPUTS"',
          "echo done",
        ].join("\n"),
      },
    ],
  });
  const run = await shop.ended(await shop.begin("leaky"));
  expect(run.state, run.why).toBe("succeeded");
  expect(readFileSync(proof, "utf8")).toBe(secret);
  const address = `https://${secret}@search`;
  expect(readFileSync(`${proof}-connections`, "utf8")).toBe(`reader:${password} ${address}`);
  const blot = "*".repeat(secret.length);
  const said = await shop.done(["logs", run.id, "-f"]);
  expect(said).toContain(`key=${blot}`);
  expect(said).toContain(`${blot} split`);
  expect(said).toContain(`error: ${blot}`);
  expect(said).toContain(`login=reader:${"*".repeat(password.length)}\n`);
  expect(said).toContain(`search=${"*".repeat(address.length)}\n`);
  const inside = await Promise.all(
    ["", "/steps", "/events", "/logs", "/steps/0/logs?stream=stdout&format=raw", "/steps/0/attempts"].map(
      (part) => shop.api.call("GET", `/api/v1/runs/${run.id}${part}`),
    ),
  );
  const definition = await shop.done(["get", "workflow/leaky", "-o", "yaml"]);
  const audit = await shop.done(["audit", "-o", "json"]);
  const everything = [
    ...inside.map(({ text }) => text),
    definition,
    audit,
    shop.server.stdout(),
    shop.server.stderr(),
  ];
  for (const text of everything)
    for (const form of [secret, password, Buffer.from(secret).toString("base64")])
      expect(text).not.toContain(form);
});
