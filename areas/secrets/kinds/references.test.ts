import { expect, test } from "vitest";
import { referencesIn, withReferences } from "./references.ts";

test("references are found in any text and as secretRef, each with the place it stands at", () => {
  const spec = {
    url: "https://${{ secrets.proxy.user }}:${{secrets.proxy.pass-word}}@example.com",
    steps: [{ "a/b": "${{ secrets.db.tls.crt }}" }, 3, null, true],
    password: { secretRef: { name: "db", key: "password", scope: "acme" } },
    other: "${{ inputs.name }} and secrets.db.password are no references",
  };
  expect(referencesIn(spec)).toEqual([
    { pointer: "/spec/url", name: "proxy", key: "user" },
    { pointer: "/spec/url", name: "proxy", key: "pass-word" },
    { pointer: "/spec/steps/0/a~1b", name: "db", key: "tls.crt" },
    { pointer: "/spec/password/secretRef", name: "db", key: "password", scope: "acme" },
  ]);
});

test("with values, a text keeps what stands around a reference, and a secretRef becomes the value", () => {
  const spec = {
    url: "a ${{ secrets.db.user }} b ${{ secrets.db.user }}",
    password: { secretRef: { name: "db", key: "password" } },
    size: 3,
  };
  const values: Record<string, string> = { user: "$& ${{ secrets.db.password }}", password: "pw" };
  expect(withReferences(spec, { secretAt: ({ key }) => values[key] as string })).toEqual({
    url: `a ${values.user} b ${values.user}`,
    password: "pw",
    size: 3,
  });
});

test.each([
  ["a key is missing", "${{ secrets.db }}"],
  ["nothing is named", "${{ secrets }}"],
  ["the braces stay open", "${{ secrets.db.password"],
  ["the name is none", "${{ secrets.-db.password }}"],
  ["more follows", "${{ secrets.db.password | upper }}"],
])("what tries to refer to a secret and does not is refused with its place: %s", (_, text) => {
  expect(() => referencesIn({ list: [text] })).toThrow(
    expect.objectContaining({
      kind: "invalid",
      errors: [expect.objectContaining({ pointer: "/spec/list/0" })],
    }),
  );
});

test.each([["text"], [{ name: "db" }], [{ name: "db", key: "x", more: 1 }], [null]])(
  "a secretRef of another shape is refused: %j",
  (secretRef) => {
    expect(() => referencesIn({ secretRef })).toThrow(/^\/spec\/secretRef: write it as/);
  },
);
