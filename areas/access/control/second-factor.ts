import type { Tools } from "@reeve/control";
import { Fault } from "@reeve/model";
import { readNow, type Sql } from "@reeve/store";
import type { AuthenticationResponseJSON } from "@simplewebauthn/server";
import { z } from "zod";
import { hasRecoveryCode, listTotp, useRecoveryCode, useTotp } from "../store/index.ts";
import { checkPasskey } from "./passkeys.ts";
import { recoveryHash } from "./recovery-codes.ts";
import { stepOf } from "./totp.ts";

/** What proves that somebody holds more than a password. A code is one of an app, or a recovery code. */
export interface SecondProof {
  readonly code?: string | undefined;
  readonly passkey?: AuthenticationResponseJSON | undefined;
}

/** The answer of an authenticator, as browsers write it; what is in it the library reads. */
const answer = z.looseObject({
  id: z.string().max(2000),
  rawId: z.string().max(2000),
  type: z.literal("public-key"),
  response: z.looseObject({ clientDataJSON: z.string().max(10_000) }),
});
export const passkeyAnswer = answer as unknown as z.ZodType<AuthenticationResponseJSON>;
export const codeText = z.string().min(6).max(40);

const seconds = ["totp", "passkey", "recovery", "provider"];

/** Whether these factors hold a second one. `provider`: an identity provider said that it asked for one. */
export function provesSecond(factors: readonly string[]): boolean {
  return factors.some((factor) => seconds.includes(factor));
}

export interface Proved {
  readonly factor: "totp" | "passkey" | "recovery";
  /** Uses the proof up, in the transaction of what it is for. */
  readonly use: (sql: Sql) => Promise<void>;
}

/** Which second factor of the user this proves, if any. */
export async function checkSecond(
  tools: Tools,
  userUid: string,
  proof: SecondProof,
): Promise<Proved | undefined> {
  if (proof.passkey !== undefined) {
    const passkey = await checkPasskey(tools, proof.passkey, userUid);
    return passkey && { factor: "passkey", use: once(passkey.use) };
  }
  const code = (proof.code ?? "").replaceAll(/\s/g, "");
  return /^\d{6}$/.test(code) ? checkTotp(tools, userUid, code) : checkRecovery(tools, userUid, code);
}

async function checkTotp(tools: Tools, userUid: string, code: string): Promise<Proved | undefined> {
  const now = await readNow(tools.database);
  for (const { id, seed: sealed, lastStep } of await listTotp(tools.database, userUid)) {
    const seed = Buffer.from(await tools.keys.open(seedAbout(id), sealed)).toString("ascii");
    const step = stepOf(seed, code, lastStep, now);
    if (step !== undefined) return { factor: "totp", use: once((sql) => useTotp(sql, id, step)) };
  }
  return undefined;
}

async function checkRecovery(tools: Tools, userUid: string, code: string): Promise<Proved | undefined> {
  const hash = recoveryHash(code);
  if (!(await hasRecoveryCode(tools.database, userUid, hash))) return undefined;
  return { factor: "recovery", use: once((sql) => useRecoveryCode(sql, userUid, hash)) };
}

/** What a seed is sealed about: put into another row it does not open. */
export function seedAbout(id: string): string {
  return `totp/${id}`;
}

/** Two requests with the same proof: one of them is told that it was used. */
export function once(use: (sql: Sql) => Promise<boolean>): (sql: Sql) => Promise<void> {
  return async (sql) => {
    if (await use(sql)) return;
    throw new Fault("conflict", "this proof was used meanwhile", { next: "try again with a new one" });
  };
}
