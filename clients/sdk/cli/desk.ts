import type { Change, Kind, Resource, Scope } from "@reeve/model";
import type { Client } from "../connect.ts";

export const outputs = ["table", "wide", "json", "yaml", "name"] as const;
export type Output = (typeof outputs)[number];

/** Flags that every verb understands. */
export interface GlobalFlags {
  readonly output?: Output;
  readonly labels?: string;
  readonly fields?: string;
  readonly scope?: Scope;
  readonly deep: boolean;
  readonly context?: string;
  readonly quiet: boolean;
}

/** What the command line needs to know of a kind, whether it was built with it or hears of it from the server. */
export type CliKind = Pick<
  Kind,
  "name" | "plural" | "shortNames" | "summary" | "levels" | "opensScope" | "columns" | "example"
>;

/** A resource that a person named. */
export interface Target {
  readonly kind: CliKind;
  readonly scope: Scope;
  readonly name: string;
}

interface Question {
  /** What to do where there is no terminal. */
  readonly instead: string;
  readonly initial?: string;
  readonly optional?: boolean;
}

/** Questions to the person at the terminal; each refuses with advice when there is no terminal. */
export interface Ask {
  text(question: string, options: Question): Promise<string>;
  secret(question: string, options: Pick<Question, "instead">): Promise<string>;
  /** False also means that nobody could be asked. */
  confirm(question: string): Promise<boolean>;
}

/** Where a verb works: the server, the words the person used, and the two streams. */
export interface Desk {
  readonly flags: GlobalFlags;
  /** The server of the context in use; asks nothing of it yet. */
  client(): Promise<Client>;
  kind(word: string): Promise<CliKind>;
  /** Reads `KIND/NAME`, or `KIND` and `NAME`; a name may carry its scope: `sa/acme/shop/ci`. */
  target(word: string, name?: string): Promise<Target>;
  /** The scope to work in for this kind, from flag, environment or context. */
  scopeFor(kind: CliKind): Promise<Scope>;
  /** Data, to stdout. */
  out(text: string): void;
  /** Talk, to stderr; quiet mode leaves it out. */
  say(text: string): void;
  /** What is going on, on one line that goes away; only on a terminal. */
  progress(text: string): void;
  /** Resources in the format the person asked for. */
  print(
    kind: CliKind,
    resources: readonly Resource[],
    options?: { readonly single?: boolean },
  ): Promise<void>;
  /** Prints a value for programs when one asked for JSON or YAML; false means: show it to people. */
  data(value: unknown): Promise<boolean>;
  /** Rows under titles, as wide as the terminal. */
  table(titles: readonly string[], rows: readonly (readonly string[])[]): void;
  /** What goes and what comes, place by place, line by line; to stdout. */
  changes(changes: readonly Change[]): void;
  /** Shows a run until it has ended; the exit code is its outcome. */
  follow(run: string): Promise<number>;
  /** Joins the person's terminal to one that a ticket opens; the exit code is that of what ran there. */
  attach(ticket: string): Promise<number>;
  /** Whether a person types here: what is opened for them has a terminal too. */
  readonly interactive: boolean;
  readonly ask: Ask;
  /** All of stdin, for secrets that must not be on a command line. */
  stdin(): Promise<string>;
}
