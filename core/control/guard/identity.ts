import type { Caller } from "@reeve/model";

/** A credential as it came in: which way it was carried matters for cross-site checks. */
export interface Credential {
  readonly carried: "bearer" | "cookie";
  readonly secret: string;
}

/** Who is behind a credential. The core knows no users; the access area does. */
export interface Identity {
  identify(credential: Credential): Promise<Caller | undefined>;
  /** Kinds whose changes may change what somebody may do. */
  readonly kinds: ReadonlySet<string>;
  /** Something that matters to access has changed: forget what was remembered. */
  forget(): void;
}
