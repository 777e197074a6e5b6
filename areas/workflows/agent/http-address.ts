import { lookup } from "node:dns/promises";
import { BlockList, isIP } from "node:net";

/** An address of a host, decided once: what is asked is what was looked at, whatever its name says a moment later. */
export interface PinnedAddress {
  readonly address: string;
  readonly family: 4 | 6;
}

const inner: readonly [string, number, "ipv4" | "ipv6"][] = [
  ["0.0.0.0", 8, "ipv4"],
  ["10.0.0.0", 8, "ipv4"],
  ["100.64.0.0", 10, "ipv4"],
  ["127.0.0.0", 8, "ipv4"],
  ["169.254.0.0", 16, "ipv4"],
  ["172.16.0.0", 12, "ipv4"],
  ["192.0.0.0", 24, "ipv4"],
  ["192.168.0.0", 16, "ipv4"],
  ["198.18.0.0", 15, "ipv4"],
  ["224.0.0.0", 3, "ipv4"],
  ["::", 127, "ipv6"],
  ["64:ff9b:1::", 48, "ipv6"],
  ["fc00::", 7, "ipv6"],
  ["fe80::", 10, "ipv6"],
  ["ff00::", 8, "ipv6"],
];

const innerRanges = new BlockList();
for (const [address, prefix, family] of inner) innerRanges.addSubnet(address, prefix, family);

/** Loopback, link-local, private, shared and multicast ranges, also when written as IPv6. */
export function isPrivate(address: string): boolean {
  const family = isIP(address);
  if (family === 0) return true;
  const embedded = embeddedIpv4(address);
  return innerRanges.check(embedded ?? address, embedded !== undefined || family === 4 ? "ipv4" : "ipv6");
}

/** The IPv4 address inside a mapped or translated IPv6 one: `::ffff:a.b.c.d`, `64:ff9b::a.b.c.d`, 6to4. */
function embeddedIpv4(address: string): string | undefined {
  if (isIP(address) !== 6) return undefined;
  const bytes = ipv6Bytes(address);
  const at = (prefix: readonly number[]) => prefix.every((byte, index) => bytes[index] === byte);
  if (at([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff]) || at([0, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0]))
    return bytes.slice(12).join(".");
  return at([0x20, 0x02]) ? bytes.slice(2, 6).join(".") : undefined;
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

export class PrivateAddress extends Error {}

/** Looks a host up, once, and refuses it if any of its addresses is private: a name that means both is a trap. */
export async function pinAddress(host: string, allowPrivate: boolean): Promise<PinnedAddress> {
  const name = host.startsWith("[") ? host.slice(1, -1) : host;
  const found = isIP(name) ? [{ address: name, family: isIP(name) }] : await lookup(name, { all: true });
  const shut = found.find(({ address }) => isPrivate(address));
  if (shut !== undefined && !allowPrivate)
    throw new PrivateAddress(
      `${name} is ${shut.address}, a private address; if that is meant, say allowPrivate: true in the step`,
    );
  const first = found[0];
  if (first === undefined) throw new Error(`${name} has no address`);
  return { address: first.address, family: first.family === 6 ? 6 : 4 };
}
