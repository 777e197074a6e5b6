import { generateKeyPairSync, randomBytes, sign } from "node:crypto";
import { isIP, isIPv4 } from "node:net";
import { bits, type Der, integer, octets, oid, sequence, setOf, tagged, text, time, yes } from "./der.ts";

export interface KeyPair {
  /** PEM. */
  readonly cert: string;
  readonly key: string;
}

const ecdsaWithSha256 = sequence(oid("1.2.840.10045.4.3.2"));

/**
 * A self-signed certificate for these names; whoever trusts it pins it. Written out by hand: the libraries for it bring a
 * dependency container and 400 ms of loading with them.
 */
export function selfSigned(commonName: string, hosts: readonly string[], days: number): KeyPair {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const name = sequence(setOf(sequence(oid("2.5.4.3"), text(commonName))));
  // An hour ago, for clocks that are behind.
  const from = Date.now() - 3_600_000;
  const serial = randomBytes(16);
  serial[0] = ((serial[0] ?? 0) & 0x7f) | 0x40;
  const certificate = sequence(
    tagged(0xa0, integer(Buffer.from([2]))),
    integer(serial),
    ecdsaWithSha256,
    name,
    sequence(time(new Date(from)), time(new Date(from + days * 86_400_000))),
    name,
    publicKey.export({ type: "spki", format: "der" }),
    tagged(0xa3, sequence(isNoAuthority, ...alternativeNames(hosts))),
  );
  const signed = sequence(certificate, ecdsaWithSha256, bits(sign("sha256", certificate, privateKey)));
  const body = signed.toString("base64").replaceAll(/.{64}/g, "$&\n").trimEnd();
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${body}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
  };
}

const isNoAuthority = sequence(oid("2.5.29.19"), yes, octets(sequence()));

function alternativeNames(hosts: readonly string[]): Der[] {
  if (hosts.length === 0) return [];
  const names = hosts.map((host) =>
    isIP(host) ? tagged(0x87, addressBytes(host)) : tagged(0x82, Buffer.from(host)),
  );
  return [sequence(oid("2.5.29.17"), octets(sequence(...names)))];
}

function addressBytes(address: string): Buffer {
  if (isIPv4(address)) return Buffer.from(address.split(".").map(Number));
  // As a URL it is in hexadecimal groups only, with at most one `::`.
  const [head = "", tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split("::");
  const groups = (part: string | undefined) => (part ? part.split(":") : []);
  const missing = 8 - groups(head).length - groups(tail).length;
  const all = [
    ...groups(head),
    ...Array<string>(tail === undefined ? 0 : missing).fill("0"),
    ...groups(tail),
  ];
  return Buffer.from(all.map((group) => group.padStart(4, "0")).join(""), "hex");
}
