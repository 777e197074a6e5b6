import { Fault, kindRegistry, type RunGraph, readManifest } from "@reeve/model";
import fc from "fast-check";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { compile } from "./compile.ts";
import { Workflow, workflowSpec } from "./workflow.ts";

const compiled = (text: string): RunGraph => compile("etl", workflowSpec.parse(parse(text)));
const namesOf = ({ steps }: RunGraph) =>
  steps.map((step) => `${step.name}<${step.needs.map((need) => steps[need]?.name).join(",")}`);

function errorsOf(text: string): string[] {
  try {
    const spec = workflowSpec.safeParse(parse(text));
    if (!spec.success) return spec.error.issues.map((one) => `/spec/${one.path.join("/")}: ${one.message}`);
    compile("etl", spec.data);
    return [];
  } catch (error) {
    return (error as Fault).errors.map((one) => `${one.pointer}: ${one.message}`);
  }
}

test("steps that say nothing of needs are done in their order, and cleanup comes after everything", () => {
  const graph = compiled(`
    steps:
      - { name: a, run: x }
      - { name: b, run: x }
      - { name: clean, run: x, cleanup: true }
      - { name: c, run: x }`);
  expect(namesOf(graph)).toEqual(["a<", "b<a", "c<b", "clean<a,b,c"]);
  expect(graph.steps[3]).toMatchObject({ rule: "all-done", cleanup: true });
});

test("needs make a graph, written in any order, and [] begins at once", () => {
  const graph = compiled(`
    steps:
      - { name: join, needs: [left, right, left], run: x, rule: any-succeeded }
      - { name: left, needs: [], run: x }
      - { name: right, needs: [], run: x }`);
  expect(namesOf(graph)).toEqual(["left<", "right<", "join<left,right"]);
  expect(graph.steps[2]?.rule).toBe("any-succeeded");
});

test("every body has its form", () => {
  const { steps } = compiled(`
    inputs: { to: { type: text } }
    env: { TZ: UTC, N: 5 }
    steps:
      - { name: sh, run: 'echo \${{ inputs.to }} "\${{ inputs.to }}" \${{ secrets.db.password }}', with: { cwd: /tmp }, env: { TZ: CET } }
      - { name: py, python: 'print(1)' }
      - { name: web, http: { url: 'https://example.com/\${{ inputs.to }}' } }
      - { name: sub, workflow: { name: other, inputs: { x: '\${{ inputs.to }}' } } }
      - { name: ok, approve: { text: Sure?, expires: 1h } }
      - { name: nap, wait: 90s }
      - { name: any, uses: playbook, with: { file: x.yml } }`);
  expect(steps.map((step) => step.body)).toEqual([
    {
      does: "execute",
      executor: "shell",
      with: {
        cwd: "/tmp",
        script: `echo \${REEVE_VALUE_1} "\${REEVE_VALUE_1}" \${REEVE_VALUE_2}`,
        env: {
          TZ: "CET",
          N: "5",
          REEVE_VALUE_1: "${{ inputs.to }}",
          REEVE_VALUE_2: "${{ secrets.db.password }}",
        },
      },
    },
    { does: "execute", executor: "python", with: { script: "print(1)", env: { TZ: "UTC", N: "5" } } },
    { does: "execute", executor: "http", with: { url: "https://example.com/${{ inputs.to }}" } },
    { does: "run", kind: "Workflow", name: "other", inputs: { x: "${{ inputs.to }}" } },
    { does: "approve", text: "Sure?", expiresMs: 3_600_000 },
    { does: "wait", ms: 90_000 },
    { does: "execute", executor: "playbook", with: { file: "x.yml" } },
  ]);
});

test("conditions, fan-out, retries, time limits and the rest arrive as the engine wants them", () => {
  const graph = compiled(`
    inputs: { env: { required: true }, hosts: { type: list, default: [a, b] } }
    concurrency: { key: 'deploy-\${{ inputs.env }}', over: skip }
    timeout: 1h30m
    outputs: { rows: '\${{ steps.one.outputs.rows }}' }
    steps:
      - name: one
        when: \${{ inputs.env != "dev" }}
        each: \${{ inputs.hosts }}
        atOnce: 3
        run: echo \${{ item }} \${{ index }}
        retry: { times: 3, delay: 5s, factor: 2, most: 1m }
        timeouts: { start: 1m, finish: 2m, overall: 3m, heartbeat: 30s }
        priority: 5
        selector: zone=a,disk!=hdd
        effect: at-most-once
        exclusive: true
        mayFail: true
      - { name: two, run: x, limit: { key: 'db-\${{ inputs.env }}', most: 2 } }`);
  expect(graph).toMatchObject({
    limit: { key: "deploy-${{ inputs.env }}", most: 1, over: "skip" },
    timeoutMs: 5_400_000,
    outputs: { rows: "${{ steps.one.outputs.rows }}" },
  });
  expect(graph.steps[0]).toMatchObject({
    when: 'inputs.env != "dev"',
    over: { items: "inputs.hosts", atOnce: 3 },
    retry: { times: 3, delayMs: 5000, factor: 2, mostMs: 60_000 },
    timeouts: { startMs: 60_000, finishMs: 120_000, overallMs: 180_000, heartbeatMs: 30_000 },
    priority: 5,
    selector: "zone=a,disk!=hdd",
    effect: "at-most-once",
    exclusive: true,
    mayFail: true,
  });
  expect(graph.steps[1]?.limit).toEqual({ key: "db-${{ inputs.env }}", most: 2 });
  expect(compiled("{ concurrency: {}, steps: [{ name: a, wait: 1s }] }").limit).toEqual({
    key: "workflow:etl",
    most: 1,
    over: "queue",
  });
});

test.each([
  ["steps: []", ["/spec/steps: there is nothing to do"]],
  ["steps: [{ name: a }]", [/^\/spec\/steps\/0: says nothing to do: give it one of run, python/]],
  ["steps: [{ name: a, run: ' ' }]", ["/spec/steps/0/run: is empty"]],
  ["steps: [{ name: a, run: x, wait: 1s }]", [/^\/spec\/steps\/0\/wait: a step does one thing/]],
  ["steps: [{ name: a, run: x, needs: [b] }]", ["/spec/steps/0/needs/0: there is no step b"]],
  ["steps: [{ name: a, run: x, needs: [a] }]", ["/spec/steps/0/needs/0: a step cannot need itself"]],
  [
    "steps: [{ name: a, run: x }, { name: a, run: x }]",
    ["/spec/steps/1/name: another step is called a already"],
  ],
  [
    "steps: [{ name: a, run: x, needs: [c] }, { name: b, run: x, needs: [a] }, { name: c, run: x, needs: [b] }, { name: d, run: x }]",
    ["/spec/steps/0/needs: a → b → c → a is a circle"],
  ],
  ["steps: [{ name: a, wait: 5 }]", [/^\/spec\/steps\/0\/wait: /]],
  ["steps: [{ name: a, wait: 5x }]", [/^\/spec\/steps\/0\/wait: write a number with a unit/]],
  ["steps: [{ name: a, run: x, when: inputs.a }]", ["/spec/steps/0/when: write one expression: ${{ … }}"]],
  ["steps: [{ name: a, run: x, env: { REEVE_RUN: x } }]", [/^\/spec\/steps\/0\/env/]],
  ["steps: [{ name: a, run: x, selector: 'a=b=c' }]", [/^\/spec\/steps\/0\/selector: cannot read/]],
  ["steps: [{ name: a, wait: 1s, env: { A: x } }]", ["/spec/steps/0/env: is for run and python"]],
  [
    "steps: [{ name: a, run: x, each: [1], atOnce: 1, limit: { key: k, most: 1 } }]",
    [/^\/spec\/steps\/0\/limit: is not for a step with atOnce/],
  ],
  [
    "steps: [{ name: a, workflow: { name: w }, timeouts: { start: 1m, finish: 1m, heartbeat: 1m } }]",
    [
      "/spec/steps/0/timeouts/start: is for what agents do; workflow has finish and overall",
      "/spec/steps/0/timeouts/heartbeat: is for what agents do; workflow has finish and overall",
    ],
  ],
  [
    "steps: [{ name: a, wait: 1s, retry: { times: 1 }, timeouts: { overall: 1m } }]",
    [
      "/spec/steps/0/timeouts/overall: is for what agents do; wait has none",
      "/spec/steps/0/retry: is not for wait: there is one attempt",
    ],
  ],
  ["steps: [{ name: a, run: '${{ inputs.b }}' }]", ["/spec/steps/0/run: there is no input b"]],
  ["steps: [{ name: a, run: '${{ inputs.b' }]", [/^\/spec\/steps\/0\/run: .* is never closed/]],
  ["steps: [{ name: a, run: '${{ 1 + }}' }]", [/^\/spec\/steps\/0\/run: the expression "1 \+"/]],
  ["steps: [{ name: a, run: '${{ item }}' }]", [/^\/spec\/steps\/0\/run: item cannot be spoken of here/]],
  ["steps: [{ name: a, run: '${{ steps.b.outputs.x }}' }]", ["/spec/steps/0/run: there is no step b"]],
  [
    "steps: [{ name: a, run: x }, { name: b, needs: [], with: { cwd: ['${{ steps.a.state }}'] }, run: y }]",
    ["/spec/steps/1/with/cwd/0: the step a may not have ended by then; name it in needs"],
  ],
  [
    "{ env: { A: '${{ steps.a.state }}' }, steps: [{ name: a, run: x }] }",
    [/^\/spec\/env\/A: steps cannot be spoken of/],
  ],
  [
    "steps: [{ name: a, python: 'print(${{ run.id }})' }]",
    [/^\/spec\/steps\/0\/python: a value cannot stand in a script/],
  ],
  [
    "steps: [{ name: a, run: x, when: '${{ secrets.a.b }}' }]",
    [/^\/spec\/steps\/0\/when: a secret is known only/],
  ],
  [
    "{ outputs: { x: '${{ secrets.a.b }}' }, steps: [{ name: a, run: x }] }",
    [/^\/spec\/outputs\/x: a secret is known only/],
  ],
  ["{ inputs: { a: { type: choice } }, steps: [{ name: a, run: x }] }", [/^\/spec\/inputs\/a\/choices/]],
  [
    "{ inputs: { a: { type: integer, default: x } }, steps: [{ name: a, run: x }] }",
    ["/spec/inputs/a/default: must be a whole number"],
  ],
  [
    "{ inputs: { a: { pattern: '(a+)+' } }, steps: [{ name: a, run: x }] }",
    ["/spec/inputs/a/pattern: a group cannot be repeated"],
  ],
])("%s is refused at its place", (text, expected) => {
  expect(errorsOf(text)).toEqual(
    expected.map((one) => (typeof one === "string" ? one : expect.stringMatching(one))),
  );
});

test("a step that begins a run may have it begun again, and says how long it may take", () => {
  const [sub] = compiled(`
    steps:
      - name: sub
        each: [1, 2]
        atOnce: 1
        workflow: { name: other }
        retry: { times: 2, delay: 1s }
        timeouts: { finish: 1m, overall: 5m }`).steps;
  expect(sub).toMatchObject({
    over: { atOnce: 1 },
    retry: { times: 2, delayMs: 1000 },
    timeouts: { finishMs: 60_000, overallMs: 300_000 },
  });
});

test("every problem is told at once", () => {
  expect(
    errorsOf(
      "steps: [{ name: a, run: '${{ inputs.x }} ${{ nope }}', needs: [z] }, { name: a, run: '${{ steps.q.state }}' }]",
    ),
  ).toHaveLength(5);
});

test("the kind's example compiles", () => {
  const { manifest } = readManifest(parse(Workflow.example), kindRegistry([Workflow]));
  expect(namesOf(compile("greet", workflowSpec.parse(manifest.spec)))).toEqual(["hello<", "report<hello"]);
});

test("whatever the needs, a graph stands in order or the fault names what is wrong", () => {
  const names = ["a", "b", "c", "d", "e"];
  const step = fc.record({
    name: fc.constantFrom(...names),
    wait: fc.constant("1s"),
    needs: fc.option(fc.array(fc.constantFrom(...names), { maxLength: 3 }), { nil: undefined }),
    cleanup: fc.option(fc.boolean(), { nil: undefined }),
  });
  fc.assert(
    fc.property(
      fc.uniqueArray(step, { minLength: 1, maxLength: 5, selector: (one) => one.name }),
      (steps) => {
        try {
          const graph = compile("x", workflowSpec.parse({ steps }));
          expect(graph.steps.map((one) => one.name).sort()).toEqual(steps.map((one) => one.name).sort());
          for (const [at, one] of graph.steps.entries())
            for (const need of one.needs) expect(need).toBeLessThan(at);
        } catch (error) {
          if (!(error instanceof Fault)) throw error;
          expect(error.errors.length).toBeGreaterThan(0);
          for (const { message } of error.errors)
            expect(message).toMatch(/circle|there is no step|need itself/);
        }
      },
    ),
  );
});

test("schedules have names of their own and inputs that runs take; what is promised of a run's end travels with its graph", () => {
  expect(
    errorsOf(`
    inputs: { day: { type: integer, required: true } }
    schedules:
      - { name: nightly, cron: 0 3 * * *, inputs: { day: 1 } }
      - { name: nightly, cron: 0 4 * * *, inputs: { day: 1 } }
      - { name: noon, cron: 0 12 * * * }
      - { name: evening, cron: 0 18 * * *, inputs: { day: x } }
    steps: [{ name: a, run: x }]`),
  ).toEqual([
    "/spec/schedules/1/name: another schedule is named nightly",
    "/spec/schedules/2/inputs/day: is required (a whole number)",
    "/spec/schedules/3/inputs/day: must be a whole number",
  ]);
  const { ending } = compiled(`
    sla: { finishWithin: 5m }
    notify: [{ on: [failed, late], channel: ops }]
    steps: [{ name: a, run: x }]`);
  expect(ending).toEqual({ notify: [{ on: ["failed", "late"], channel: "ops" }], finishWithinMs: 300_000 });
});
