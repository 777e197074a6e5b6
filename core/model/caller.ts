import type { Grant, Subject } from "./permission.ts";

/** Who asks, by which credential, from where: what authorisation and audit need to know. */
export interface Caller {
  readonly subject: Subject;
  readonly via: { readonly kind: "session" | "token" | "system"; readonly id: string };
  readonly grants: readonly Grant[];
}

/** Where a request came from; rides along into the audit row. */
export interface Origin {
  readonly requestId: string;
  readonly address: string;
}
