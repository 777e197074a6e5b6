import { isIPv6 } from "node:net";
import type { Tools } from "@reeve/control";
import { Fault } from "@reeve/model";
import { countAttempts, isKnownAddress, uncountAttempts } from "../store/index.ts";
import { digest } from "./secrets.ts";

/**
 * Wrong guesses in a quarter of an hour. `here` is for one account from one address, `account` from all addresses, `address`
 * for all accounts. Whoever guesses from elsewhere uses up `account`, which does not hold where the person has a session.
 */
const limits = {
  password: { here: 10, account: 100, address: 100 },
  /** Six digits are guessed more easily than a password. */
  code: { here: 5, account: 20, address: 50 },
} as const;

export interface Attempt {
  readonly what: keyof typeof limits;
  readonly user: string;
  /** The address, or where only who has a session can try, the session. */
  readonly from: string;
}

/** Counts an attempt in the database, the same for all replicas and for users who do not exist; throws when there were too many. */
export async function beginAttempt(tools: Tools, attempt: Attempt): Promise<void> {
  const keys = keysOf(attempt);
  const counts = await countAttempts(tools.database, Object.values(keys));
  for (const [name, most] of Object.entries(limits[attempt.what])) {
    const row = counts.find(({ key }) => key.equals(keys[name as keyof typeof keys]));
    if (row === undefined || row.count <= most) continue;
    if (name === "account" && (await isKnownAddress(tools.database, attempt.user, attempt.from))) continue;
    const minutes = Math.max(1, Math.ceil(row.leftMs / 60_000));
    throw new Fault("exhausted", "too many wrong attempts", {
      next: `wait ${minutes} ${minutes === 1 ? "minute" : "minutes"}, or sign in with a passkey`,
      retryAfterMs: Math.max(1000, row.leftMs),
    });
  }
}

/** It was right: it counts for nothing. */
export async function rightAttempt(tools: Tools, attempt: Attempt): Promise<void> {
  await uncountAttempts(tools.database, Object.values(keysOf(attempt)));
}

/** Digests: a name may be a password that was typed into the wrong field. */
function keysOf({ what, user, from: given }: Attempt): Record<keyof (typeof limits)["password"], Buffer> {
  const from = network(given);
  return {
    here: digest(`${what} ${user} ${from}`),
    account: digest(`${what} ${user} *`),
    address: digest(`${what} * ${from}`),
  };
}

/** Who has one IPv6 address has its whole /64. */
export function network(address: string): string {
  if (!isIPv6(address)) return address;
  const [head = "", tail] = address.split("::");
  const groups = head.split(":").filter(Boolean);
  const rest = (tail ?? "").split(":").filter(Boolean);
  const zeros = tail === undefined ? 0 : 8 - groups.length - rest.length;
  return [...groups, ...Array<string>(zeros).fill("0"), ...rest].slice(0, 4).join(":");
}
