import { expect, test } from "vitest";
import {
  allows,
  type Grant,
  isNarrower,
  type Narrowing,
  narrowGrants,
  type Permission,
} from "./permission.ts";
import { contains, type Scope } from "./scope.ts";

const permissions: readonly Permission[] = ["projects:read", "projects:update", "runs:read"];
const scopes: readonly Scope[] = ["", "acme", "acme/shop", "acme/shop/prod", "acme/shopping", "globex"];
const narrowings: readonly Narrowing[] = [undefined, ...scopes].flatMap((within) =>
  [undefined, [], permissions.slice(0, 1), permissions.slice(1), permissions].map((some) => ({
    ...(within === undefined ? {} : { within }),
    ...(some === undefined ? {} : { allows: some }),
  })),
);

function grant(scope: Scope, ...some: readonly Permission[]): Grant {
  return { scope, role: { name: "some", summary: "", allows: new Set(some) }, binding: "b" };
}

const holdings: readonly (readonly Grant[])[] = [
  [],
  ...scopes.map((scope) => [grant(scope, ...permissions)]),
  [grant("acme", "projects:read"), grant("acme/shop/prod", "projects:update", "runs:read")],
];

/** Everything that these grants allow, asked for one by one. */
function allowed(grants: readonly Grant[]): string[] {
  return scopes.flatMap((scope) =>
    permissions.filter((one) => allows(grants, one, scope)).map((one) => `${one} in ${scope}`),
  );
}

test("a narrowing leaves of what was held exactly what it names, in its scope and below", () => {
  for (const held of holdings)
    for (const narrowing of narrowings) {
      const { within = "", allows: some = permissions } = narrowing;
      const expected = scopes.flatMap((scope) =>
        permissions
          .filter((one) => some.includes(one) && contains(within, scope) && allows(held, one, scope))
          .map((one) => `${one} in ${scope}`),
      );
      expect(allowed(narrowGrants(held, narrowing)), JSON.stringify(narrowing)).toEqual(expected);
    }
});

test("what is narrower leaves nothing that the wider one does not leave, whatever is held", () => {
  let narrower = 0;
  for (const outer of narrowings)
    for (const inner of narrowings.filter((one) => isNarrower(one, outer))) {
      narrower++;
      for (const held of holdings) {
        const left = new Set(allowed(narrowGrants(held, outer)));
        for (const one of allowed(narrowGrants(held, inner)))
          expect(left, `${JSON.stringify(inner)} in ${JSON.stringify(outer)}`).toContain(one);
      }
    }
  expect(narrower).toBeGreaterThan(narrowings.length);
});

test("to leave out a limit, or to name another scope beside it, is to widen", () => {
  const outer = { within: "acme/shop", allows: permissions.slice(0, 2) };
  expect(isNarrower(outer, outer)).toBe(true);
  expect(isNarrower(outer, {})).toBe(true);
  for (const wider of [
    {},
    { within: "acme/shop" },
    { allows: outer.allows },
    { ...outer, within: "acme" },
    { ...outer, within: "acme/shopping" },
    { ...outer, allows: permissions },
  ])
    expect(isNarrower(wider, outer), JSON.stringify(wider)).toBe(false);
});
