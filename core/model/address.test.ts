import { expect, test } from "vitest";
import { isPublicAddress } from "./address.ts";

test("addresses of this machine and of private networks are told from those of the Internet, in all their clothes", () => {
  for (const address of [
    "127.0.0.1",
    "10.1.2.3",
    "172.31.0.1",
    "192.168.1.1",
    "169.254.169.254",
    "100.64.0.1",
    "0.0.0.0",
    "::1",
    "::",
    "fd00::1",
    "fe80::1",
    "::ffff:127.0.0.1",
    "::ffff:7f00:1",
    "::ffff:a9fe:a9fe",
    "64:ff9b::10.0.0.1",
    "0:0:0:0:0:ffff:127.0.0.1",
    "64:ff9b::a00:1",
    "2002:7f00:1::",
    "2002:a00:1::",
    "fe80::1%eth0",
    "255.255.255.255",
    "224.0.0.1",
    "ff02::1",
    "localhost",
    "",
  ])
    expect([address, isPublicAddress(address)]).toEqual([address, false]);
  for (const address of ["1.1.1.1", "172.32.0.1", "100.128.0.1", "2606:4700::1111", "::ffff:1.1.1.1"])
    expect([address, isPublicAddress(address)]).toEqual([address, true]);
});
