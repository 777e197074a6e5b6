import { generateKeyPairSync, type KeyObject, randomBytes, sign, type X509Certificate } from "node:crypto";
import { isIP, isIPv4 } from "node:net";
import { bits, type Der, integer, octets, oid, sequence, setOf, tagged, text, time, yes } from "./der.ts";

export interface KeyPair {
  /** PEM. */
  readonly cert: string;
  readonly key: string;
}

const ecdsaWithSha256 = sequence(oid("1.2.840.10045.4.3.2"));

/** What a certificate says, and who says it. */
export interface Wording {
  readonly subject: string;
  /** SubjectPublicKeyInfo, DER. */
  readonly publicKey: Uint8Array;
  readonly issuer: string;
  readonly issuerKey: KeyObject;
  readonly from: Date;
  readonly until: Date;
  readonly extensions: readonly Der[];
}

/**
 * A certificate in PEM, signed with an EC key on P-256. Written out by hand: the libraries for it bring a dependency container
 * and 400 ms of loading with them.
 */
export function writeCertificate(wording: Wording): string {
  const serial = randomBytes(16);
  serial[0] = ((serial[0] ?? 0) & 0x7f) | 0x40;
  const certificate = sequence(
    tagged(0xa0, integer(Buffer.from([2]))),
    integer(serial),
    ecdsaWithSha256,
    nameOf(wording.issuer),
    sequence(time(wording.from), time(wording.until)),
    nameOf(wording.subject),
    wording.publicKey,
    tagged(0xa3, sequence(...wording.extensions)),
  );
  const signature = sign("sha256", certificate, wording.issuerKey);
  const signed = sequence(certificate, ecdsaWithSha256, bits(signature));
  const body = signed.toString("base64").replaceAll(/.{64}/g, "$&\n").trimEnd();
  return `-----BEGIN CERTIFICATE-----\n${body}\n-----END CERTIFICATE-----\n`;
}

/** A self-signed certificate for these names; whoever trusts it pins it. */
export function selfSigned(commonName: string, hosts: readonly string[], days: number): KeyPair {
  const { publicKey, privateKey } = newKeyPair();
  const cert = writeCertificate({
    subject: commonName,
    publicKey,
    issuer: commonName,
    issuerKey: privateKey,
    ...validFor(days),
    extensions: [isNoAuthority, ...alternativeNames(hosts)],
  });
  return { cert, key: privateKey.export({ type: "pkcs8", format: "pem" }).toString() };
}

export function newKeyPair(): { publicKey: Buffer; privateKey: KeyObject } {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  return { publicKey: publicKey.export({ type: "spki", format: "der" }), privateKey };
}

/** Of whoever is to believe a certificate at once. */
const clocksBehindMs = 3_600_000;

/** From a while ago, for clocks that are behind. */
export function validFor(days: number): { from: Date; until: Date } {
  const from = Date.now() - clocksBehindMs;
  return { from: new Date(from), until: new Date(from + days * 86_400_000) };
}

/** When a certificate that we wrote was written, to the second. */
export function writtenAt({ validFromDate }: X509Certificate): Date {
  return new Date(validFromDate.getTime() + clocksBehindMs);
}

const nameOf = (commonName: string): Der => sequence(setOf(sequence(oid("2.5.4.3"), text(commonName))));

export const isNoAuthority = sequence(oid("2.5.29.19"), yes, octets(sequence()));
export const isAuthority = sequence(oid("2.5.29.19"), yes, octets(sequence(yes)));
export const forServers = usage("1.3.6.1.5.5.7.3.1");
export const forClients = usage("1.3.6.1.5.5.7.3.2");

function usage(...purposes: readonly string[]): Der {
  return sequence(oid("2.5.29.37"), octets(sequence(...purposes.map(oid))));
}

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
