import { apiVersion, type Manifest, type Scope } from "@reeve/model";
import type { KindRef } from "./address.ts";

/** A manifest as a program writes it: what the kind says is filled in, and fields with defaults may be left out. */
export interface Draft<Spec> {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: Partial<Manifest["metadata"]> & { readonly scope: Scope; readonly name: string };
  readonly spec?: Partial<Spec>;
}

export function manifestOf<Spec>(kind: KindRef, draft: Draft<Spec>): Draft<Spec> {
  return { apiVersion, kind: kind.name, spec: {}, ...draft };
}
