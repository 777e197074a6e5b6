import type { z } from "zod";
import { commonVerbs, type Permission } from "./permission.ts";
import type { JsonObject, Resource, Status } from "./resource.ts";
import type { Level } from "./scope.ts";
import { type Verdict, yes } from "./verdict.ts";

/** One column of a list. `wide` columns show only when asked for. */
export interface Column<R = Resource> {
  readonly title: string;
  readonly wide?: boolean;
  readonly value: (resource: R) => string | number | undefined;
}

/** A verb beyond create, update and delete. `can` is pure, so that the console can grey a button out with the reason. */
export interface Action<R = Resource> {
  readonly summary: string;
  readonly input: z.ZodType;
  readonly output: z.ZodType;
  readonly can: (resource: R) => Verdict;
  /** Its input or output holds a secret: neither is logged, audited or kept for a repeated request. */
  readonly secret?: boolean;
  /**
   * Sensitive: the person must have proved their identity in the last minutes. A token proves nobody, so it cannot do it; "or-token"
   * lets it, for what gives out no more than the token has.
   */
  readonly fresh?: true | "or-token";
}

/** Something that should not be so, and that people may want to be told of. */
export interface TroubleRule<R = Resource> {
  /** After the resource's name: `is lost`, and when it is over: `is back`. */
  readonly says: string;
  readonly over: string;
  /** For how long it must be so before anybody is told. */
  readonly afterMs: number;
  /** Why, in words; undefined while all is well, null when nobody knows just now: then it is as it was. Pure. */
  readonly why: (resource: R) => string | undefined | null;
  /** Another reason is news, though the first is not over; otherwise a trouble is told once. */
  readonly tellsEachWhy?: boolean;
}

export interface KindDefinition<Spec = JsonObject, St extends Status = Status> {
  readonly name: string;
  readonly plural: string;
  readonly shortNames: readonly string[];
  readonly summary: string;
  /** The levels at which a resource of this kind may live. */
  readonly levels: readonly Level[];
  /** Resources of this kind open a scope: what lives in it goes before it goes. */
  readonly opensScope?: boolean;
  /**
   * Resources of this kind limit what the scope they live in may hold: the write lane keeps to their `spec.limits`. They are
   * changed with the rights of the scope above, because who could lift a limit from within would not be limited.
   */
  readonly limitsScope?: boolean;
  readonly spec: z.ZodType<Spec>;
  readonly status: z.ZodType<St>;
  readonly columns: readonly Column<Resource<Spec, St>>[];
  /** Fields to select by, as dotted paths. */
  readonly fields?: readonly string[];
  /** What else of the spec the database reads by itself, as dotted paths: it stays readable where specs are sealed. */
  readonly readByDatabase?: readonly string[];
  /** What must be undone outside before a resource of this kind may go. */
  readonly finalizers?: readonly string[];
  readonly actions?: Readonly<Record<string, Action<Resource<Spec, St>>>>;
  /** Verbs that only read, beside `read` itself, such as `logs`: whoever views has them too. */
  readonly reads?: readonly string[];
  /** Verbs that only the role `owner` has. */
  readonly ownerOnly?: readonly string[];
  /** What people may want to be told of a resource of this kind, by event. */
  readonly troubles?: Readonly<Record<string, TroubleRule<Resource<Spec, St>>>>;
  /** Somebody is at work on it: nothing is told of it, neither that it begins nor that it is over. */
  readonly isInMaintenance?: (resource: Resource<Spec, St>) => boolean;
  /** Whether a spec of this kind may be changed after creation. */
  readonly can?: (verb: "update" | "delete", resource: Resource<Spec, St>) => Verdict;
  /** A manifest that works, shown by `explain` and by empty lists. */
  readonly example: string;
}

/** A kind whose spec and status types are not known here. */
// biome-ignore lint/suspicious/noExplicitAny: a kind is both reader and writer of its spec, so no narrower type fits all
export type Kind = KindDefinition<any, any>;

/** Defines a kind once; doors, CLI, documentation and permissions derive from it. */
export function defineKind<Spec, St extends Status>(
  definition: KindDefinition<Spec, St>,
): KindDefinition<Spec, St> {
  return definition;
}

export type SpecOf<K> = K extends KindDefinition<infer Spec, infer _> ? Spec : never;
export type StatusOf<K> = K extends KindDefinition<infer _, infer St> ? St : never;
export type ResourceOf<K> = Resource<SpecOf<K>, StatusOf<K> extends Status ? StatusOf<K> : Status>;

/** What permissions and roles derive from; also of a kind as a server tells it. */
export interface KindVerbs {
  readonly plural: string;
  readonly actions?: Readonly<Record<string, unknown>> | undefined;
  readonly reads?: readonly string[] | undefined;
  readonly ownerOnly?: readonly string[] | undefined;
}

export function verbsOf(kind: Pick<KindVerbs, "actions" | "reads">): string[] {
  return [...commonVerbs, ...(kind.reads ?? []), ...Object.keys(kind.actions ?? {})];
}

export function permissionOf(kind: Pick<KindVerbs, "plural">, verb: string): Permission {
  return `${kind.plural}:${verb}`;
}

export function kindCan(kind: Kind, verb: "update" | "delete", resource: Resource): Verdict {
  return kind.can?.(verb, resource) ?? yes;
}
