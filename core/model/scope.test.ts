import fc from "fast-check";
import { expect, test } from "vitest";
import {
  allows,
  firstMissing,
  type Grant,
  grantedScopes,
  mayKnow,
  type Permission,
  type Role,
} from "./permission.ts";
import {
  childScope,
  contains,
  lastPart,
  levelOf,
  levels,
  parentScope,
  parseScope,
  scopeParts,
  selfAndAncestors,
} from "./scope.ts";

/** Few names, some of them prefixes of others, so that neighbours look alike. */
const name = fc.constantFrom("a", "ab", "b", "a-b");
const parts = fc.array(name, { maxLength: 3 });
const scope = parts.map((list) => list.join("/"));
const permission = fc.constantFrom<Permission>("things:read", "things:update", "others:read");
const role: fc.Arbitrary<Role> = fc
  .uniqueArray(permission)
  .map((list) => ({ name: "r", summary: "", allows: new Set(list) }));
const grant: fc.Arbitrary<Grant> = fc.record({ scope, role, binding: fc.constant("b") });

/** Whether the first parts of one path are the other, by comparing them one by one. */
function startsWith(inner: readonly string[], outer: readonly string[]): boolean {
  return outer.every((part, index) => inner[index] === part);
}

test("a scope contains itself and what lies below it, part by part, and nothing that merely begins alike", () => {
  fc.assert(
    fc.property(
      parts,
      parts,
      (outer, inner) => contains(outer.join("/"), inner.join("/")) === startsWith(inner, outer),
    ),
  );
  expect(contains("a", "ab")).toBe(false);
  expect(contains("a", "a-b/c")).toBe(false);
  expect(contains("", "anything/at/all")).toBe(true);
  expect(contains("a", "")).toBe(false);
});

test("rights hold exactly at the granted scope and below it", () => {
  fc.assert(
    fc.property(fc.array(grant, { maxLength: 4 }), permission, scope, (grants, wanted, at) => {
      const expected = grants.some(
        (one) => one.role.allows.has(wanted) && startsWith(scopeParts(at), scopeParts(one.scope)),
      );
      expect(allows(grants, wanted, at)).toBe(expected);
      const granted = grantedScopes(grants, wanted);
      expect(granted.some((one) => contains(one, at))).toBe(expected);
      expect(new Set(granted).size).toBe(granted.length);
    }),
  );
});

test("more grants never take a right away, and a right in a scope is a right in all scopes of it", () => {
  fc.assert(
    fc.property(
      fc.array(grant, { maxLength: 3 }),
      grant,
      permission,
      scope,
      name,
      (grants, more, wanted, at, child) => {
        if (!allows(grants, wanted, at)) return;
        expect(allows([...grants, more], wanted, at)).toBe(true);
        if (levelOf(at) !== "workspace") expect(allows(grants, wanted, childScope(at, child))).toBe(true);
      },
    ),
  );
});

test("whoever holds something somewhere may know the scopes on the way there and below, and no others", () => {
  fc.assert(
    fc.property(fc.array(grant, { maxLength: 3 }), scope, (grants, at) => {
      const related = grants.some(
        (one) =>
          startsWith(scopeParts(at), scopeParts(one.scope)) ||
          startsWith(scopeParts(one.scope), scopeParts(at)),
      );
      expect(mayKnow(grants, at)).toBe(related);
    }),
  );
});

test("what somebody may hand out is what they hold themselves", () => {
  fc.assert(
    fc.property(fc.array(grant, { maxLength: 3 }), role, scope, (grants, wanted, at) => {
      const missing = firstMissing(grants, wanted.allows, at);
      expect(missing === undefined).toBe([...wanted.allows].every((one) => allows(grants, one, at)));
      if (missing !== undefined) expect(allows(grants, missing, at)).toBe(false);
    }),
  );
});

test("a scope is its parent and its last part, and its ancestors lead to the installation", () => {
  fc.assert(
    fc.property(scope, (one) => {
      expect(parseScope(one)).toBe(one);
      expect(levelOf(one)).toBe(levels[scopeParts(one).length]);
      const path = selfAndAncestors(one);
      expect(path).toHaveLength(scopeParts(one).length + 1);
      expect([path[0], path.at(-1)]).toEqual([one, ""]);
      for (const ancestor of path) expect(contains(ancestor, one)).toBe(true);
      if (one !== "") expect(childScope(parentScope(one), lastPart(one))).toBe(one);
    }),
  );
});

test.each([
  "/",
  "a/",
  "/a",
  "a//b",
  "a/b/c/d",
  "A",
  "a b",
  "..",
  "a/..",
  "-a",
  "a\n",
  "a".repeat(64),
  `a/${"b".repeat(64)}`,
])("%j is no scope", (text) => {
  expect(() => parseScope(text)).toThrow(expect.objectContaining({ kind: "invalid" }));
});
