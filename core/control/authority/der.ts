/** The few forms of ASN.1 DER that a certificate is made of. */
export type Der = Buffer<ArrayBuffer>;

export function tagged(tag: number, ...parts: readonly Uint8Array[]): Der {
  const content = Buffer.concat(parts);
  return Buffer.concat([Buffer.from([tag, ...lengthBytes(content.length)]), content]);
}

export const sequence = (...parts: readonly Uint8Array[]): Der => tagged(0x30, ...parts);
export const setOf = (...parts: readonly Uint8Array[]): Der => tagged(0x31, ...parts);
export const octets = (bytes: Uint8Array): Der => tagged(0x04, bytes);
export const bits = (bytes: Uint8Array): Der => tagged(0x03, Buffer.from([0]), bytes);
export const text = (value: string): Der => tagged(0x0c, Buffer.from(value));
export const yes: Der = tagged(0x01, Buffer.from([0xff]));

/** A positive integer, from its bytes. */
export function integer(bytes: Uint8Array): Der {
  // The first bit would be its sign.
  return tagged(0x02, ...((bytes[0] ?? 0) >= 0x80 ? [Buffer.from([0])] : []), bytes);
}

export function oid(dotted: string): Der {
  const [first = 0, second = 0, ...rest] = dotted.split(".").map(Number);
  return tagged(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]));
}

/** Years before 2050 have two digits. */
export function time(at: Date): Der {
  const digits = `${at.toISOString().replaceAll(/\.\d+|[-:T]/g, "")}`;
  return at.getUTCFullYear() < 2050
    ? tagged(0x17, Buffer.from(digits.slice(2)))
    : tagged(0x18, Buffer.from(digits));
}

function lengthBytes(length: number): number[] {
  if (length < 0x80) return [length];
  const bytes: number[] = [];
  for (let rest = length; rest > 0; rest = rest >>> 8) bytes.unshift(rest & 0xff);
  return [0x80 | bytes.length, ...bytes];
}

function base128(value: number): number[] {
  const bytes = [value & 0x7f];
  for (let rest = value >>> 7; rest > 0; rest = rest >>> 7) bytes.unshift((rest & 0x7f) | 0x80);
  return bytes;
}

export interface DerPart {
  readonly tag: number;
  readonly content: Buffer;
  /** With its tag and length. */
  readonly whole: Buffer;
}

/** The parts that stand one after the other; undefined unless they fill the bytes exactly. */
export function readParts(bytes: Buffer): DerPart[] | undefined {
  const parts: DerPart[] = [];
  for (let at = 0; at < bytes.length; ) {
    const size = readLength(bytes, at + 1);
    if (size === undefined || size.end + size.length > bytes.length) return undefined;
    const end = size.end + size.length;
    parts.push({
      tag: bytes[at] as number,
      content: bytes.subarray(size.end, end),
      whole: bytes.subarray(at, end),
    });
    at = end;
  }
  return parts;
}

function readLength(bytes: Buffer, at: number): { length: number; end: number } | undefined {
  const first = bytes[at];
  if (first === undefined) return undefined;
  if (first < 0x80) return { length: first, end: at + 1 };
  const count = first & 0x7f;
  // Nothing that we read is over 64 KiB.
  if (count === 0 || count > 2 || at + count >= bytes.length) return undefined;
  return { length: bytes.readUIntBE(at + 1, count), end: at + 1 + count };
}
