import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { writeLasting } from "../lasting.ts";

/** How far a stream has come: enough to go on from there after a restart of the agent. */
export interface Place {
  /** In the stream, as the control plane counts. */
  readonly offset: number;
  /** In the file. The two differ when the body has cut its file short (`> /dev/stderr` does). */
  readonly raw: number;
  /** Shipped so far; less than the offset when there are gaps. */
  readonly shipped: number;
  /** The state of the hash of what was shipped. */
  readonly hash: Uint8Array;
  /** How often the body has done so. */
  readonly cuts: number;
  /** Why bytes before the offset were not shipped, in case the control plane has not heard. */
  readonly gap: string;
}

/** A part of the file that is left out. */
export interface Hole {
  readonly from: number;
  readonly to: number;
  readonly why: string;
}

/** What the control plane has, and what is left out after it: what lies between is read again. */
export interface KeptPlace extends Place {
  readonly holes: readonly Hole[];
}

/** On disk before the bytes before it are freed. */
export async function writePlace(file: string, place: KeptPlace): Promise<void> {
  const text = JSON.stringify({ ...place, hash: Buffer.from(place.hash).toString("base64") });
  await writeLasting(file, text);
}

/** Undefined when nothing was freed yet. */
export async function readPlace(file: string): Promise<KeptPlace | undefined> {
  if (!existsSync(file)) return undefined;
  const { hash, ...place } = JSON.parse(await readFile(file, "utf8")) as KeptPlace & { hash: string };
  // An older agent has written none.
  return { ...place, hash: Buffer.from(hash, "base64"), holes: place.holes ?? [] };
}
