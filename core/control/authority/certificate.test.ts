import { createPrivateKey, X509Certificate } from "node:crypto";
import { expect, test } from "vitest";
import { selfSigned } from "./certificate.ts";

test("a self-signed certificate carries its names, verifies under its own key and belongs to the private key", () => {
  const { cert, key } = selfSigned("Reeve", ["localhost", "127.0.0.1", "::1", "2001:db8::7:1"], 825);
  const made = new X509Certificate(cert);
  expect(made.subject).toBe("CN=Reeve");
  expect(made.subjectAltName).toBe(
    "DNS:localhost, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1, IP Address:2001:DB8:0:0:0:0:7:1",
  );
  expect(made.ca).toBe(false);
  expect(made.verify(made.publicKey)).toBe(true);
  expect(made.checkPrivateKey(createPrivateKey(key))).toBe(true);
  expect(made.checkHost("localhost")).toBe("localhost");
  expect(made.checkIP("127.0.0.1")).toBe("127.0.0.1");
});

test("validity begins in the past and ends after the days asked for, also beyond 2050", () => {
  const days = 40 * 365;
  const { validFromDate, validToDate } = new X509Certificate(selfSigned("Reeve", [], days).cert);
  expect(validFromDate.getTime()).toBeLessThan(Date.now());
  expect((validToDate.getTime() - validFromDate.getTime()) / 86_400_000).toBeCloseTo(days);
});

test("two certificates never share a serial number or a key", () => {
  const [one, other] = [selfSigned("Reeve", [], 1), selfSigned("Reeve", [], 1)].map(
    ({ cert }) => new X509Certificate(cert),
  );
  expect(one?.serialNumber).not.toBe(other?.serialNumber);
  expect(one?.publicKey.equals(other?.publicKey as never)).toBe(false);
});
