import { expect, test } from "vitest";
import { compile } from "./compile.ts";
import { isScript, workflowOfScript } from "./script.ts";
import { workflowSpec } from "./workflow.ts";

test("a bare script is a workflow of one step, named after its file", () => {
  expect(workflowOfScript("jobs/Night_Report.v2.py", "print(1)\n")).toEqual({
    apiVersion: "reeve/v1",
    kind: "Workflow",
    metadata: { name: "night-report-v2" },
    spec: { steps: [{ name: "script", python: "print(1)\n" }] },
  });
  const bash = workflowOfScript("hello.sh", "#!/usr/bin/env bash\necho hi\n");
  expect(compile("hello", workflowSpec.parse(bash.spec)).steps[0]?.body).toMatchObject({
    executor: "shell",
    with: { script: "#!/usr/bin/env bash\necho hi\n" },
  });
  expect(["a.sh", "b.py", "c.yaml", "d.workflow.ts"].map(isScript)).toEqual([true, true, false, false]);
  expect(() => workflowOfScript("-.sh", "x")).toThrow("would be called");
});
