/** What an agent says through a tunnel; `end` comes last, and is missing when the agent was lost. */
export type Heard =
  | { readonly case: "data" | "errors"; readonly value: Uint8Array }
  | { readonly case: "end"; readonly value: { readonly exitCode?: number; readonly why: string } };

/** What it is told. */
export type Said =
  | { readonly case: "data"; readonly value: Uint8Array }
  | { readonly case: "size"; readonly value: { readonly rows: number; readonly columns: number } }
  | { readonly case: "done"; readonly value: true };

/** What is to be opened: the name of an opener of agents, and what exactly, as JSON. */
export interface Opens {
  readonly opens: string;
  readonly with: string;
}

/** Bytes between a person and something on an agent's host. Nothing piles up: who does not read holds back who writes. */
export interface Tunnel {
  readonly heard: AsyncIterable<Heard>;
  /** Resolves when there is room for more. */
  say(word: Said): Promise<void>;
  /** What was opened there is closed. */
  close(): void;
}
