import { mkdir, readFile } from "node:fs/promises";
import { dirname } from "node:path";
import { writeLasting } from "../lasting.ts";

/** Who this agent is, and whom it believes. Its file is all that a clone would need, so nobody else may read it. */
export interface Identity {
  readonly uid: string;
  readonly scope: string;
  readonly name: string;
  /** Of the agents' port; any replica serves any agent. */
  readonly urls: readonly string[];
  readonly proof: Proof;
  /** Counts renewals; a clone shows an old one. */
  readonly generation: number;
  readonly expiresAt: string;
  /** Half of its life. */
  readonly renewAt: string;
}

export type Proof =
  | {
      readonly by: "certificate";
      readonly certificate: string;
      readonly key: string;
      readonly authority: string;
    }
  /** Behind a proxy that ends TLS, whose certificate the system knows, or `ca`. */
  | { readonly by: "bearer"; readonly bearer: string; readonly ca?: string };

/** Undefined when this folder's agent has not joined. */
export async function readIdentity(file: string): Promise<Identity | undefined> {
  try {
    return JSON.parse(await readFile(file, "utf8")) as Identity;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw new Error(`cannot read the agent's identity in ${file}: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

/**
 * On disk before it is used: an agent that lost its identity in a power cut would have to join again, and one that came up with the
 * one before would be taken for its own clone.
 */
export async function writeIdentity(file: string, identity: Identity): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await writeLasting(file, `${JSON.stringify(identity, undefined, 2)}\n`);
}

/** When our clock takes a new identity for one that has expired, it is days ahead: asking again and again would not help. */
const aheadMs = 3_600_000;

export function halfLife(expiresAt: Date, now = Date.now()): { expiresAt: string; renewAt: string } {
  const leftMs = expiresAt.getTime() - now;
  const renewAt = new Date(now + (leftMs > 0 ? leftMs / 2 : aheadMs));
  return { expiresAt: expiresAt.toISOString(), renewAt: renewAt.toISOString() };
}
