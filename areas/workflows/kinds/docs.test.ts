import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { compile } from "./compile.ts";
import { workflowSpec } from "./workflow.ts";

const page = readFileSync(join(import.meta.dirname, "../../../docs/workflows.md"), "utf8");
const examples = [...page.matchAll(/```yaml\n([\s\S]*?)```/g)].map((found) => found[1] as string);

test("every example of the page compiles", () => {
  expect(examples.length).toBeGreaterThan(3);
  for (const example of examples) {
    const { spec } = parse(example) as { spec: unknown };
    expect(compile("example", workflowSpec.parse(spec)).steps.length, example).toBeGreaterThan(0);
  }
});
