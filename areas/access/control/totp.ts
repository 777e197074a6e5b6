import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";

/** Time-based one-time passwords (RFC 6238) as every authenticator app knows them: SHA-1, six digits, half a minute. */
const seedBytes = 20;
const stepMs = 30_000;
/** Steps before and after the current one that count too: clocks differ and people type slowly. */
const tolerance = 1;
const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** What a seed looks like in base32, as people and apps read it. */
export const seedPattern = /^[A-Z2-7]{32}$/;

export function newSeed(): string {
  return base32(randomBytes(seedBytes));
}

/** The link that apps read from a QR code. */
export function seedLink(seed: string, user: string, host: string): string {
  const issuer = `Reeve (${host})`;
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(user)}`;
  return `otpauth://totp/${label}?secret=${seed}&issuer=${encodeURIComponent(issuer)}&algorithm=SHA1&digits=6&period=30`;
}

/** The step that a code belongs to, if it is one of now and later than `lastStep`: a code that was used works no more. */
export function stepOf(seed: string, code: string, lastStep: number, now: number): number | undefined {
  const current = Math.floor(now / stepMs);
  for (let step = current - tolerance; step <= current + tolerance; step++)
    if (step > lastStep && timingSafeEqual(Buffer.from(codeAt(seed, step)), Buffer.from(code))) return step;
  return undefined;
}

export function codeAt(seed: string, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const digest = createHmac("sha1", fromBase32(seed)).update(counter).digest();
  const offset = (digest.at(-1) as number) & 0x0f;
  return String((digest.readUInt32BE(offset) & 0x7fffffff) % 1_000_000).padStart(6, "0");
}

export function base32(bytes: Uint8Array): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, "0")).join("");
  return (bits.match(/.{1,5}/g) ?? [])
    .map((five) => alphabet[Number.parseInt(five.padEnd(5, "0"), 2)])
    .join("");
}

function fromBase32(text: string): Buffer {
  const bits = [...text].map((letter) => alphabet.indexOf(letter).toString(2).padStart(5, "0")).join("");
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}
