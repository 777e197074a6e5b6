import type { Desk } from "./desk.ts";

/** What may stand in a place, for completion. */
export type Completes = "kind" | "target" | "name" | "context" | "file" | "scope" | readonly string[];

export interface Argument {
  /** Upper case, as help shows it. */
  readonly name: string;
  readonly optional?: boolean;
  readonly many?: boolean;
  readonly completes?: Completes;
  /** Understood, but not worth a word in the help. */
  readonly tacit?: boolean;
}

/** An option is named by its key: `dryRun` is `--dry-run`. */
export type Option = { readonly summary: string; readonly short?: string } & (
  | { readonly takes: "nothing" }
  | { readonly takes: "text" | "texts"; readonly value: string; readonly completes?: Completes }
);

export type OptionValues<O> = {
  readonly [Key in keyof O]: O[Key] extends { takes: "nothing" }
    ? boolean
    : O[Key] extends { takes: "texts" }
      ? readonly string[]
      : string | undefined;
};

export interface VerbInput<O> {
  readonly args: readonly string[];
  readonly options: OptionValues<O>;
}

/** One verb: parsing, help and completion derive from this. Its number is the exit code, 0 when it returns none. */
export interface Verb<
  D extends Desk = Desk,
  O extends Readonly<Record<string, Option>> = Readonly<Record<string, Option>>,
> {
  /** `get`, or `token create`. */
  readonly name: string;
  readonly summary: string;
  readonly group: "read" | "change" | "access" | "server";
  readonly args?: readonly Argument[];
  readonly options?: O;
  readonly example: string;
  readonly hidden?: boolean;
  /** What its family does when none of it is named: `reeve audit` is `reeve audit list`. */
  readonly standard?: boolean;
  run(desk: D, input: VerbInput<O>): Promise<number | undefined>;
}

export type AnyVerb<D extends Desk = Desk> = Verb<D>;

export function defineVerb<D extends Desk = Desk>() {
  return <const O extends Readonly<Record<string, Option>>>(verb: Verb<D, O>): Verb<D> =>
    verb as unknown as Verb<D>;
}

export function flag(summary: string, short?: string) {
  return { takes: "nothing", summary, ...(short === undefined ? {} : { short }) } as const;
}

interface More {
  readonly short?: string;
  readonly completes?: Completes;
}

export function text(value: string, summary: string, more: More = {}) {
  return { takes: "text", value, summary, ...more } as const;
}

/** An option that may be given several times. */
export function texts(value: string, summary: string, more: More = {}) {
  return { takes: "texts", value, summary, ...more } as const;
}
