import { argon2, randomBytes, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";

/** OWASP's recommendation for argon2id: 19 MiB, two passes, one lane. The parameters ride along, so they can be raised. */
const cost = { memory: 19_456, passes: 2, parallelism: 1 };
const tagLength = 32;
const derive = promisify(argon2);

export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  const tag = await derive("argon2id", { message: password, nonce: salt, tagLength, ...cost });
  return `$argon2id$v=19$m=${cost.memory},t=${cost.passes},p=${cost.parallelism}$${base64(salt)}$${base64(tag)}`;
}

export async function isPassword(password: string, hash: string): Promise<boolean> {
  const found = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([^$]+)\$([^$]+)$/.exec(hash);
  if (found === null) return false;
  const [, memory, passes, parallelism, salt, tag] = found as unknown as string[];
  const expected = Buffer.from(tag as string, "base64");
  const actual = await derive("argon2id", {
    message: password,
    nonce: Buffer.from(salt as string, "base64"),
    tagLength: expected.length,
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
  });
  return timingSafeEqual(actual, expected);
}

let decoy: Promise<string> | undefined;

/** For a user that does not exist: takes as long as a real check, so that the time does not tell who exists. */
export async function pretendToCheck(password: string): Promise<false> {
  decoy ??= hashPassword("no user has this password");
  await isPassword(password, await decoy);
  return false;
}

function base64(bytes: Buffer): string {
  return bytes.toString("base64").replace(/=+$/, "");
}
