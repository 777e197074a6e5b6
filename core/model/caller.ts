import type { Grant, Narrowing, Subject } from "./permission.ts";

/** By which credential a caller was known. A session knows how and when its person last proved to be that person. */
export type Via =
  | {
      readonly kind: "session";
      readonly id: string;
      readonly authenticatedAt: string;
      /** That was lately enough for what is sensitive, by the database's clock: those of replicas may differ. */
      readonly fresh: boolean;
      readonly factors: readonly string[];
    }
  | { readonly kind: "token"; readonly id: string; readonly narrowed?: Narrowing }
  | { readonly kind: "system"; readonly id: string };

/** Who asks, by which credential, from where: what authorisation and audit need to know. */
export interface Caller {
  readonly subject: Subject;
  readonly via: Via;
  readonly grants: readonly Grant[];
}

/** What the caller's credential was made for; undefined when it stands for its subject with all that it may. */
export function narrowingOf({ via }: Pick<Caller, "via">): Narrowing | undefined {
  return via.kind === "token" ? via.narrowed : undefined;
}

/** Where a request came from; rides along into the audit row. */
export interface Origin {
  readonly requestId: string;
  readonly address: string;
}
