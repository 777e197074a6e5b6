import { expect, test } from "vitest";
import { builtinColumns, matrixRows, shareOf } from "./matrix.ts";

const kinds = [
  { plural: "widgets", actions: { spin: {} }, ownerOnly: ["delete"] },
  { plural: "things", actions: {} },
];

test("every permission has its place in the matrix, once", () => {
  const rows = matrixRows(kinds);
  const all = rows.flatMap(({ permissions }) => permissions);
  expect(new Set(all).size).toBe(all.length);
  expect(rows.map(({ about }) => about)).toEqual([
    "runs",
    "things",
    "widgets",
    "installation",
    "access",
    "audit",
    "terminals",
  ]);
  expect(rows[2]?.permissions).toEqual([
    "widgets:read",
    "widgets:create",
    "widgets:update",
    "widgets:delete",
    "widgets:spin",
  ]);
});

test("the built-in roles hold what the server's would: what is for owners only is not the editor's", () => {
  const [widgets] = matrixRows(kinds).filter(({ about }) => about === "widgets");
  const shares = builtinColumns(kinds).map((role) => [role.name, widgets && shareOf(role, widgets)]);
  expect(shares).toEqual([
    ["owner", { held: 5, share: "all" }],
    ["editor", { held: 4, share: "some" }],
    ["viewer", { held: 1, share: "some" }],
    ["auditor", { held: 1, share: "some" }],
  ]);
});
