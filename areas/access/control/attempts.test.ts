import { expect, test } from "vitest";
import { network } from "./attempts.ts";

test("an IPv6 address counts as its /64, an IPv4 address as itself", () => {
  expect(network("203.0.113.7")).toBe("203.0.113.7");
  expect(network("2001:db8:1:2:3:4:5:6")).toBe("2001:db8:1:2");
  expect(network("2001:db8::6")).toBe("2001:db8:0:0");
  expect(network("::1")).toBe("0:0:0:0");
  expect(network("2001:db8:1:2::")).toBe(network("2001:db8:1:2:ffff::1"));
});
