import { nameOf } from "@reeve/model";
import { expect, test } from "vitest";
import { z } from "zod";
import { manifestSchema } from "../schema/manifest-schema.ts";
import { cursorAt } from "./cursor.ts";
import { suggest } from "./suggest.ts";

const spec = z.strictObject({
  description: z.string().optional().describe("For people."),
  paused: z.boolean().default(false),
  steps: z.array(
    z.strictObject({
      name: z.string(),
      run: z.string().optional(),
      rule: z.enum(["all", "any"]).optional(),
      notify: z
        .array(z.strictObject({ channel: nameOf("Channel"), on: z.array(z.enum(["failed", "late"])) }))
        .optional(),
    }),
  ),
  way: z
    .discriminatedUnion("type", [
      z.strictObject({ type: z.literal("mail"), to: z.string() }),
      z.strictObject({ type: z.literal("chat"), url: z.string() }),
    ])
    .optional(),
});
const schema = manifestSchema({ name: "Thing", spec: z.toJSONSchema(spec, { io: "input" }) as never });

/** What is offered where `│` stands. */
function offered(text: string) {
  const offset = text.indexOf("│");
  const cursor = cursorAt(text.replace("│", ""), offset);
  return cursor && suggest(schema, cursor);
}
const words = (text: string) => offered(text)?.words.map((one) => one.label);

test("an empty line offers the keys that are not there yet, required ones first", () => {
  expect(words("│")).toEqual(["apiVersion", "kind", "metadata", "spec"]);
  expect(words("kind: Thing\n│\nspec:\n  paused: true\n")).toEqual(["apiVersion", "metadata"]);
  expect(words("spec:\n  de│\n  paused: true\n")).toEqual(["steps", "description", "way"]);
});

test("inside of lists, by indentation alone, also where a dash stands below its key's column", () => {
  const keys = ["rule", "run", "notify"];
  const sorted = (text: string) => words(text)?.toSorted();
  expect(sorted("spec:\n  steps:\n    - name: a\n      │")).toEqual(keys.toSorted());
  expect(sorted("spec:\n  steps:\n  - name: a\n    │\n  - name: b\n    run: x")).toEqual(keys.toSorted());
  expect(words("spec:\n  steps:\n    - │")).toEqual(["name", "run", "rule", "notify"]);
  expect(words("spec:\n  steps:\n    - name: a\n      notify:\n        - on: [failed]\n          │")).toEqual(
    ["channel"],
  );
});

test("values: choices, yes and no, fixed words, and which kind's names", () => {
  expect(words("kind: │")).toEqual(["Thing"]);
  expect(words("spec:\n  paused: │")).toEqual(["true", "false"]);
  expect(words("spec:\n  steps:\n    - rule: a│")).toEqual(["all", "any"]);
  expect(words("spec:\n  steps:\n    - notify:\n        - on:\n            - │")).toEqual(["failed", "late"]);
  expect(offered("spec:\n  steps:\n    - notify:\n        - channel: │")?.kind).toBe("Channel");
});

test("a fixed word decides which form's keys are offered", () => {
  expect(words("spec:\n  way:\n    │")).toEqual(["type", "to", "url"]);
  expect(words("spec:\n  way:\n    type: chat\n    │")).toEqual(["url"]);
});

test("a key comes with what its value begins with", () => {
  const apply = (text: string, label: string) =>
    offered(text)?.words.find((one) => one.label === label)?.apply;
  expect(apply("spec:\n  │", "steps")).toBe("steps:\n    - ");
  expect(apply("spec:\n  │", "way")).toBe("way: ");
  expect(apply("│", "metadata")).toBe("metadata:\n  ");
});

test("nothing is offered within a script, a comment, or where no schema leads", () => {
  expect(words("spec:\n  steps:\n    - name: a\n      run: |\n        echo│")).toBeUndefined();
  expect(words("# sp│")).toBeUndefined();
  expect(words("spec:\n  nothing:\n    │")).toEqual([]);
});
