import type { Condition } from "./condition.ts";
import type { Scope } from "./scope.ts";
import type { Uid } from "./uid.ts";

export const apiVersion = "reeve/v1";

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

/** What a resource belongs to: it goes when its owner goes. */
export interface Owner {
  readonly kind: string;
  readonly scope: Scope;
  readonly name: string;
  readonly uid: Uid;
}

export interface Metadata {
  readonly scope: Scope;
  readonly name: string;
  readonly uid: Uid;
  /** The version of the spec. */
  readonly generation: number;
  /** The place of the last write in commit order; what If-Match compares and a watch resumes from. */
  readonly revision: number;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly finalizers: readonly string[];
  readonly owner?: Owner;
  /** Reconcilers leave a paused resource alone. */
  readonly paused?: boolean;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly deletingAt?: string;
}

export interface Status {
  readonly observedGeneration?: number;
  readonly observedAt?: string;
  readonly conditions?: readonly Condition[];
  readonly [field: string]: unknown;
}

export interface Resource<Spec = JsonObject, St extends Status = Status> {
  readonly apiVersion: typeof apiVersion;
  readonly kind: string;
  readonly metadata: Metadata;
  readonly spec: Spec;
  readonly status: St;
}

/** What a person writes: the resource without what only the server knows. */
export interface Manifest<Spec = JsonObject> {
  readonly apiVersion: typeof apiVersion;
  readonly kind: string;
  readonly metadata: {
    readonly scope: Scope;
    readonly name: string;
    readonly uid?: string;
    readonly generation?: number;
    readonly revision?: number;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly finalizers?: readonly string[];
    /** null: belongs to nothing; left out: stays as it is. */
    readonly owner?: { readonly kind: string; readonly name: string; readonly scope?: Scope } | null;
    readonly paused?: boolean;
  };
  readonly spec: Spec;
}

/** The address of a resource, for messages and logs: `ServiceAccount acme/shop/ci`. */
export function showAddress(at: { kind: string; scope: Scope; name: string }): string {
  return `${at.kind} ${at.scope === "" ? at.name : `${at.scope}/${at.name}`}`;
}
