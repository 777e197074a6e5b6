import type { Narrowing, Scope } from "@reeve/model";
import { noRetry } from "./retry.ts";
import type { Wire } from "./wire.ts";

export interface Session {
  readonly token: string;
  readonly expiresAt: string;
  readonly user: string;
}

interface HeldRole {
  readonly scope: Scope;
  readonly role: string;
  readonly binding: string;
  readonly group?: string;
}

export interface Whoami {
  readonly subject: { readonly kind: string; readonly scope: Scope; readonly name: string };
  /** `narrowed` is what a token was made for, when that is less than its subject may. */
  readonly via: string | { readonly kind: string; readonly id?: string; readonly narrowed?: Narrowing };
  readonly grants: readonly HeldRole[];
  /** Roles in organizations that ask for a second factor, which this credential has not proved. */
  readonly withheld: readonly HeldRole[];
}

export interface SessionInfo {
  readonly id: string;
  readonly current: boolean;
  readonly device: string;
  readonly address: string;
  readonly createdAt: string;
  readonly seenAt: string;
  readonly expiresAt: string;
}

export interface Question {
  readonly verb: string;
  readonly kind: string;
  readonly scope: Scope;
  readonly name?: string;
  /** Somebody else than oneself. */
  readonly as?: { readonly kind: string; readonly scope?: Scope; readonly name: string };
}

export interface Explanation {
  readonly subject: string;
  readonly allowed: boolean;
  readonly permission: string;
  readonly scope: Scope;
  readonly why: string;
  /** Every binding by which the right is held. */
  readonly chain: readonly (HeldRole & { readonly by?: string; readonly at?: string })[];
  /** The roles that would give it. */
  readonly wouldGive: readonly string[];
}

/** The short answer to one of many questions. */
export type Answer = Pick<Explanation, "allowed" | "permission" | "scope">;

export interface Setup {
  /** From the setup link. */
  readonly token: string;
  readonly user: string;
  readonly displayName?: string;
  readonly password: string;
  readonly organization?: string;
}

/** What a journey to an identity provider ended with, and the verifier of the challenge that it began with. */
interface HandOver {
  readonly code: string;
  readonly verifier: string;
}

/** Who one is and what one may do. */
export interface Access {
  /** Signs in; this client uses the session from then on. `askCode` is called when the user has a second factor. */
  signIn(user: string, password: string, askCode: () => Promise<string>): Promise<Session>;
  /** Signs in with what an identity provider's journey ended with; else like `signIn`. */
  signInByProvider(handed: HandOver, askCode: () => Promise<string>): Promise<Session>;
  /** Links one's own user with the identity of such a journey. */
  linkIdentity(handed: HandOver): Promise<void>;
  /** Proves anew who one is; this client uses the session's new secret from then on. */
  confirm(proof: { readonly password: string } | { readonly code: string }): Promise<Session>;
  /** Whether one has a second factor. */
  hasFactor(): Promise<boolean>;
  sessions(): Promise<readonly SessionInfo[]>;
  /** Ends one of one's own sessions, or all but the one this client uses; how many ended. */
  endSessions(which: { readonly id: string } | "others"): Promise<number>;
  /** Ends the session this client uses. */
  signOut(): Promise<void>;
  whoami(): Promise<Whoami>;
  canI(question: Question): Promise<Explanation>;
  /** Short answers in the order of the questions, at most 500. */
  canIMany(questions: readonly Omit<Question, "as">[]): Promise<readonly Answer[]>;
  /** Makes the first administrator, once; this client uses its session from then on. */
  setup(setup: Setup): Promise<Session>;
}

export function openAccess(wire: Wire): Access {
  const adopt = (body: unknown): Session => {
    const session = body as Session;
    wire.token = session.token;
    return session;
  };
  const secondStep = async (first: unknown, askCode: () => Promise<string>): Promise<Session> => {
    const { pending } = first as { pending?: string };
    if (pending === undefined) return adopt(first);
    const body = { pending, code: await askCode() };
    // A code works once: a blind second try would hide the first one's success behind a refusal.
    const call = { method: "POST", path: "/api/v1/sessions/second-step", body, retry: noRetry } as const;
    return adopt((await wire.send(call)).body);
  };
  return {
    async signIn(user, password, askCode) {
      // An old credential must not ride along with a new sign-in.
      wire.token = undefined;
      const body = { user, password, carry: "bearer" };
      return secondStep((await wire.send({ method: "POST", path: "/api/v1/sessions", body })).body, askCode);
    },
    async signInByProvider(handed, askCode) {
      wire.token = undefined;
      const body = { ...handed, carry: "bearer" };
      const call = { method: "POST", path: "/api/v1/sign-in/oidc", body, retry: noRetry } as const;
      return secondStep((await wire.send(call)).body, askCode);
    },
    async linkIdentity(handed) {
      await wire.send({ method: "POST", path: "/api/v1/identities", body: handed, retry: noRetry });
    },
    async confirm(proof) {
      const path = "/api/v1/sessions/current/confirm";
      return adopt((await wire.send({ method: "POST", path, body: proof, retry: noRetry })).body);
    },
    async hasFactor() {
      const { items } = (await wire.send({ path: "/api/v1/factors" })).body as { items: readonly unknown[] };
      return items.length > 0;
    },
    async sessions() {
      return ((await wire.send({ path: "/api/v1/sessions" })).body as { items: readonly SessionInfo[] })
        .items;
    },
    async endSessions(which) {
      const path =
        which === "others" ? "/api/v1/sessions" : `/api/v1/sessions/${encodeURIComponent(which.id)}`;
      return ((await wire.send({ method: "DELETE", path })).body as { ended: number }).ended;
    },
    async signOut() {
      await wire.send({ method: "DELETE", path: "/api/v1/sessions/current" });
      wire.token = undefined;
    },
    whoami: async () => (await wire.send({ path: "/api/v1/whoami" })).body as Whoami,
    canI: async (question) =>
      (await wire.send({ method: "POST", path: "/api/v1/can-i", body: question })).body as Explanation,
    async canIMany(questions) {
      const call = { method: "POST", path: "/api/v1/can-i/many", body: { questions } } as const;
      return ((await wire.send(call)).body as { items: readonly Answer[] }).items;
    },
    async setup(setup) {
      // The link works once: a blind second try would hide the first one's success behind a refusal.
      const call = { method: "POST", path: "/api/v1/setup", body: setup, retry: noRetry } as const;
      return adopt((await wire.send(call)).body);
    },
  };
}
