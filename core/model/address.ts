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

/** An IPv4 address in the clothes of IPv6 (mapped, by NAT64, or 6to4) is judged as what it is, however it is written. */
function unmapped(address: string): string {
  if (isIP(address) !== 6) return address;
  const bytes = ipv6Bytes(address);
  const begins = (...prefix: number[]) => prefix.every((byte, at) => bytes[at] === byte);
  if (begins(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff) || begins(0, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0))
    return bytes.slice(12).join(".");
  return begins(0x20, 0x02) ? bytes.slice(2, 6).join(".") : address;
}

function ipv6Bytes(address: string): number[] {
  const plain = new URL(`http://[${address.split("%")[0]}]`).hostname.slice(1, -1);
  const [head = "", tail] = plain.split("::");
  const words = (part: string) =>
    part === "" ? [] : part.split(":").map((word) => Number.parseInt(word, 16));
  const [first, last] = [words(head), words(tail ?? "")];
  const gap = tail === undefined ? [] : Array<number>(8 - first.length - last.length).fill(0);
  return [...first, ...gap, ...last].flatMap((word) => [word >> 8, word & 0xff]);
}
