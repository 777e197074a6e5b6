import type { JsonObject } from "@reeve/model";
import type { KeptReading } from "../usage/reading.ts";

/**
 * The only code that touches a managed thing. It is told a generation and nothing of how things came to be: it looks, says
 * what would have to change, and changes it. An area adds one by a line in apps/agent; `testing.ts` here is what it must pass.
 */
export interface Keeper<Seen = unknown, Change = unknown> {
  readonly kind: string;
  /** Whether this host can have such things at all; asked at start and announced. */
  available(): Promise<boolean>;
  /** What it does its work with here, and what that lacks, in words: told with the facts of the host. */
  capabilities?(): Promise<readonly string[]>;
  /**
   * Gets everything that a generation needs and checks it, without touching what is there: fetches, validates, pulls. What it
   * returns is kept with the generation. May be repeated, and is quick when it was done before. Throws in words.
   */
  prepare(order: KeepOrder, means: Means): Promise<JsonObject>;
  /** Read-only. Throws when nothing can be seen. */
  observe(wanted: Wanted, means: Means): Promise<Seen>;
  /** What has to be done, in order; nothing when all is as wanted. Pure, and blind to what is not ours. */
  plan(wanted: Wanted, seen: Seen): readonly Change[];
  /** May be repeated after a crash at any point. Throws in words. */
  apply(change: Change, wanted: Wanted, means: Means): Promise<void>;
  /** Whether it does its work by now. Pure. */
  judge(wanted: Wanted, seen: Seen): Judgement;
  /** What the control plane is told of it. Pure; without what changes all the time. */
  tell(wanted: Wanted, seen: Seen): JsonObject;
  /** What is there to be seen when nothing can be. */
  blind(why: string): JsonObject;
  /** The generation has settled: what only earlier ones needed may go. */
  settled(wanted: Wanted, means: Means): Promise<void>;
  /** What might tell why it does not work, for the log of the step that tried; never throws. */
  explain(wanted: Wanted, means: Means): Promise<string>;
  /** What a person may ask of it beside a generation, such as a restart; none where left out. */
  readonly acts?: Acts;
  /** Calls back when something may have changed, with the uid where that is known. Returns how to stop. */
  watch(changed: (uid: string | undefined) => void): () => void;
  /** What its things use now, part by part; asked every 15 s, so it must be cheap. Left out by what uses nothing of its own. */
  readonly usage?: () => Promise<readonly KeptReading[]>;
}

export interface Acts {
  /** What is done once, and may be repeated. Throws in words. */
  perform(act: JsonObject, wanted: Wanted, means: Means): Promise<void>;
  /** What is wanted from then on, until the next generation. Pure. */
  overridden(act: JsonObject, wanted: Wanted): Wanted;
}

/** A generation of a resource, as the control plane hands it over. */
export interface KeepOrder {
  readonly uid: string;
  readonly name: string;
  readonly generation: number;
  readonly spec: JsonObject;
}

/** The same when it was prepared. */
export interface Wanted extends KeepOrder {
  readonly prepared: JsonObject;
  /** What a person has asked for that this generation does not say; the kind's own words. */
  readonly overrides?: JsonObject;
  /** Nothing of it is to be left; what is not ours stays. */
  readonly gone?: true;
}

export type Judgement =
  | { readonly ready: true }
  /** `final`: waiting longer would not help. */
  | { readonly ready: false; readonly why: string; readonly final: boolean };

export interface Means {
  /** The kind's own on this host, for as long as the agent has its data. */
  readonly folder: string;
  /** A file of the control plane that this agent may have. */
  fetch(name: string): Promise<Buffer>;
  /** A line for whoever looks at the step, or at the agent's log. */
  say(text: string): void;
  readonly signal: AbortSignal;
}
