import { createHmac } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { checkSignature, windowMs } from "./signature.ts";

const now = Date.parse("2026-11-15T12:00:00Z");
const hex = (secret: string, text: string) => createHmac("sha256", secret).update(text).digest("hex");
const reeve = (secret: string, body: string, seconds = now / 1000) => ({
  "reeve-signature": `t=${seconds},v1=${hex(secret, `${seconds}.${body}`)}`,
});

test("what was signed with the secret is taken, in both formats, and nothing else", () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1 }), fc.string(), fc.string(), (secret, body, other) => {
      const headers = { ...reeve(secret, body), "x-hub-signature-256": `sha256=${hex(secret, body)}` };
      for (const format of ["reeve", "github"] as const) {
        expect(checkSignature(format, secret, { body, headers }, now).valid).toBe(true);
        expect(checkSignature(format, secret, { body: `${body}x`, headers }, now).valid).toBe(false);
        if (other !== secret) expect(checkSignature(format, other, { body, headers }, now).valid).toBe(false);
        expect(checkSignature(format, secret, { body, headers: {} }, now).valid).toBe(false);
      }
    }),
  );
});

test("a signature is good for five minutes, before and after, and its time cannot be exchanged", () => {
  const at = (offMs: number) =>
    checkSignature("reeve", "s", { body: "x", headers: reeve("s", "x", (now + offMs) / 1000) }, now);
  expect([at(-windowMs), at(windowMs)].map(({ valid }) => valid)).toEqual([true, true]);
  expect([at(-windowMs - 1000), at(windowMs + 1000)]).toEqual([
    { valid: false, why: "old" },
    { valid: false, why: "old" },
  ]);
  const signature = reeve("s", "x", now / 1000 - 1000)["reeve-signature"].replace(
    /^t=\d+/,
    `t=${now / 1000}`,
  );
  expect(checkSignature("reeve", "s", { body: "x", headers: { "reeve-signature": signature } }, now)).toEqual(
    {
      valid: false,
      why: "wrong",
    },
  );
});

test.each(["", "t=1", "t=1,v1=zz", "v1=00", `t=x,v1=${"0".repeat(64)}`, `t=1,v1=${"0".repeat(64)}`])(
  "the header %j is no signature",
  (header) => {
    expect(
      checkSignature("reeve", "s", { body: "", headers: { "reeve-signature": header } }, now).valid,
    ).toBe(false);
  },
);

test("without a secret nothing is valid, not even what was signed with none", () => {
  expect(checkSignature("reeve", "", { body: "x", headers: reeve("", "x") }, now).valid).toBe(false);
});
