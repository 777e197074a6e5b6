import { BlockList, isIP } from "node:net";

const closed = new BlockList();
for (const [network, bits] of [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["224.0.0.0", 3],
] as const)
  closed.addSubnet(network, bits, "ipv4");
for (const [network, bits] of [
  ["::", 127],
  ["64:ff9b:1::", 48],
  ["fc00::", 7],
  ["fe80::", 10],
  ["ff00::", 8],
] as const)
  closed.addSubnet(network, bits, "ipv6");

/**
 * Whether an address is one of the open Internet: not this machine, not a private or link-local network, where a request that
 * somebody else composed could reach what trusts its neighbours.
 */
export function isPublicAddress(address: string): boolean {
  const plain = unmapped(address);
  const family = isIP(plain);
  return family !== 0 && !closed.check(plain, family === 6 ? "ipv6" : "ipv4");
}

/** An IPv4 address in the clothes of IPv6 (mapped, or by NAT64) is judged as what it is. */
function unmapped(address: string): string {
  const mapped = /^(?:::ffff:|64:ff9b::)(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  const hex = /^(?:::ffff:|64:ff9b::)([0-9a-f]{1,4}):([0-9a-f]{1,4})$/i.exec(address);
  if (hex === null) return address;
  const [high, low] = [Number.parseInt(hex[1] as string, 16), Number.parseInt(hex[2] as string, 16)];
  return [high >> 8, high & 255, low >> 8, low & 255].join(".");
}
