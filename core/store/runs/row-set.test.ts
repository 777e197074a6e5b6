import * as fc from "fast-check";
import { expect, test } from "vitest";
import { testDatabase } from "../testing.ts";
import { rowSet } from "./row-set.ts";

interface Row {
  readonly id: string;
  readonly count: number | null;
  readonly text: string | null;
  readonly json: unknown;
  readonly bytes: Buffer;
  readonly flag: boolean;
}

const set = rowSet<Row>({
  id: "uuid",
  count: "bigint",
  text: "text",
  json: "jsonb",
  bytes: "bytea",
  flag: "boolean",
});

/** Postgres keeps no NUL in texts; nothing of ours holds one. */
const anyText = fc.string({ unit: "binary" }).map((text) => text.replaceAll(/\0|[\ud800-\udfff]/gu, ""));
const row = fc.record<Row>({
  id: fc.uuid(),
  count: fc.option(fc.integer()),
  text: fc.option(fc.oneof(anyText, fc.constantFrom("", "null", "NULL", "{}", '"', "\\", "a,b", " "))),
  json: fc.option(fc.dictionary(anyText, anyText)),
  bytes: fc.uint8Array().map((bytes) => Buffer.from(bytes)),
  flag: fc.boolean(),
});

test("rows arrive as they were given, whatever is in them", async () => {
  const { database } = await testDatabase();
  await fc.assert(
    fc.asyncProperty(fc.array(row, { maxLength: 20 }), async (rows) => {
      expect(await database.query(`select * from ${set.from}`, set.values(rows))).toEqual(
        rows.map((one) => ({ ...one, json: one.json === null ? null : { ...(one.json as object) } })),
      );
    }),
    { numRuns: 100 },
  );
});
