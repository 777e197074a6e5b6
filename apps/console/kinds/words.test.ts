import { expect, test } from "vitest";
import { named, spoken } from "./words.ts";

test.each([
  ["RoleBinding", "rolebindings", "Role bindings", "role binding"],
  ["Host", "hosts", "Hosts", "host"],
  ["Policy", "policies", "Policies", "policy"],
])("%s is spoken of in words", (name, plural, many, one) => {
  expect([named({ name, plural }), spoken({ name })]).toEqual([many, one]);
});
