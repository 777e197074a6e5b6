import type { Caller } from "@reeve/model";
import type { ChangeRow } from "@reeve/store";

/** A credential as it came in: which way it was carried matters for cross-site checks. */
export interface Credential {
  readonly carried: "bearer" | "cookie";
  readonly secret: string;
}

/** Subjects by uid. */
export type Whom = "everybody" | ReadonlySet<string>;

/** Who is behind a credential. The core knows no users; the access area does. */
export interface Identity {
  identify(credential: Credential): Promise<Caller | undefined>;
  /** Whose rights these changes may have changed. */
  concerned(changes: readonly ChangeRow[]): Whom;
  /** Forgets what was remembered of them. */
  forget(whom: Whom): void;
}
