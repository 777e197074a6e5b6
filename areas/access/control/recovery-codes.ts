import { randomBytes } from "node:crypto";
import { digest } from "./secrets.ts";
import { base32 } from "./totp.ts";

const howMany = 10;

/** 80 random bits each, in groups that can be read out; so many need no slow hash. */
export function newRecoveryCodes(): {
  readonly codes: readonly string[];
  readonly hashes: readonly Buffer[];
} {
  const codes = Array.from({ length: howMany }, () =>
    (base32(randomBytes(10)).toLowerCase().match(/.{4}/g) ?? []).join("-"),
  );
  return { codes, hashes: codes.map(recoveryHash) };
}

/** However a person writes it down: capitals, spaces and hyphens do not matter. */
export function recoveryHash(code: string): Buffer {
  return digest(code.toLowerCase().replaceAll(/[\s-]/g, ""));
}
