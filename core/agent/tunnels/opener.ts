import type { JsonObject } from "@reeve/model";

/** Something on this host that a person may look at, or type into. An area adds one by a line in apps/agent. */
export interface Opener {
  /** What a dial calls it. */
  readonly name: string;
  /** Resolves when it has ended. Throws in words that the person reads. */
  open(asked: JsonObject, line: Line): Promise<LineEnd>;
}

/** The way between what was opened and the person who looks at it. */
export interface Line {
  /** What the person does; ends when they type no more. */
  readonly typed: AsyncIterable<Typed>;
  /** Resolves when there is room for more: whoever does not wait for it fills the memory. */
  show(data: Uint8Array, stream?: "stdout" | "stderr"): Promise<void>;
  /** Nobody looks any more: close everything. */
  readonly signal: AbortSignal;
}

export type Typed =
  | { readonly case: "data"; readonly value: Uint8Array }
  | { readonly case: "size"; readonly value: WindowSize };

/** In characters. */
export interface WindowSize {
  readonly rows: number;
  readonly columns: number;
}

export interface LineEnd {
  readonly exitCode?: number;
  /** In words, when something is wrong. */
  readonly why?: string;
}
