import type { Scope } from "@reeve/model";
import { noRetry } from "./retry.ts";
import type { Wire } from "./wire.ts";

export interface Session {
  readonly token: string;
  readonly expiresAt: string;
  readonly user: string;
}

export interface HeldRole {
  readonly scope: Scope;
  readonly role: string;
  readonly binding: string;
  readonly group?: string;
}

export interface Whoami {
  readonly subject: { readonly kind: string; readonly scope: Scope; readonly name: string };
  readonly via: string | { readonly kind: string; readonly id?: string };
  readonly grants: readonly HeldRole[];
}

export interface Question {
  readonly verb: string;
  readonly kind: string;
  readonly scope: Scope;
  readonly name?: string;
}

export interface Setup {
  /** From the setup link. */
  readonly token: string;
  readonly user: string;
  readonly displayName?: string;
  readonly password: string;
  readonly organization?: string;
}

/** Who one is and what one may do. */
export interface Access {
  /** Signs in; this client uses the session from then on. */
  signIn(user: string, password: string): Promise<Session>;
  /** Ends the session this client uses. */
  signOut(): Promise<void>;
  whoami(): Promise<Whoami>;
  canI(question: Question): Promise<{ readonly allowed: boolean; readonly why: string }>;
  /** Makes the first administrator, once; this client uses its session from then on. */
  setup(setup: Setup): Promise<Session>;
}

export function openAccess(wire: Wire): Access {
  const adopt = (body: unknown): Session => {
    const session = body as Session;
    wire.token = session.token;
    return session;
  };
  return {
    async signIn(user, password) {
      // An old credential must not ride along with a new sign-in.
      wire.token = undefined;
      const body = { user, password, carry: "bearer" };
      return adopt((await wire.send({ method: "POST", path: "/api/v1/sessions", body })).body);
    },
    async signOut() {
      await wire.send({ method: "DELETE", path: "/api/v1/sessions/current" });
      wire.token = undefined;
    },
    whoami: async () => (await wire.send({ path: "/api/v1/whoami" })).body as Whoami,
    canI: async (question) =>
      (await wire.send({ method: "POST", path: "/api/v1/can-i", body: question })).body as {
        allowed: boolean;
        why: string;
      },
    async setup(setup) {
      // The link works once: a blind second try would hide the first one's success behind a refusal.
      const call = { method: "POST", path: "/api/v1/setup", body: setup, retry: noRetry } as const;
      return adopt((await wire.send(call)).body);
    },
  };
}
