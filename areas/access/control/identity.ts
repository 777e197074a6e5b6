import { type Credential, freshMinutes, type Identity, type Tools, type Whom } from "@reeve/control";
import { type Caller, childScope, type Grant, narrowGrants, narrowingOf, type Resource } from "@reeve/model";
import type { ChangeRow } from "@reeve/store";
import {
  findBySession,
  findByToken,
  findByWorkloadToken,
  type Identified,
  rolesOf,
  touchSession,
  touchWorkloadToken,
} from "../store/index.ts";
import { noteLastUse } from "./last-use.ts";
import { narrowingBy } from "./made-for.ts";
import { isBuiltin } from "./named-role.ts";
import { digest, useOf } from "./secrets.ts";
import { withheldGrants } from "./withheld.ts";

/** A session that another replica ended is told by that replica; one that cannot tell is not believed for longer than this. */
const rememberMs = { token: 5000, session: 1000, workload: 1000 };
const rememberMost = 10_000;

interface Remembered {
  readonly caller: Caller;
  readonly until: number;
  /** Who asks after this has it looked up again, and need not wait. */
  readonly renewAt: number;
}

interface Found {
  readonly who: Identified;
  readonly via: Caller["via"];
}

/**
 * Who is behind a secret, with every role they hold. Remembered for a few seconds, and while it is in use looked up again before
 * these are over: what takes several questions would else keep all waiting that come just then. A change of users, tokens or bindings
 * is told by the change stream, and the end of a session by whoever ended it: both forget whom they concern at once.
 */
export function openIdentity({ database, roles, lane }: Tools): Identity {
  const remembered = new Map<string, Remembered>();
  const asking = new Map<string, { readonly since: number; readonly answer: Promise<Caller | undefined> }>();
  let generation = 0;

  async function lookUp(secret: string): Promise<{ caller: Caller; forMs: number } | undefined> {
    const use = useOf(secret);
    if (use !== "session" && use !== "token" && use !== "workload") return undefined;
    const found = await { session: bySession, token: byToken, workload: byWorkloadToken }[use](
      digest(secret),
    );
    if (found === undefined) return undefined;
    const { kind, scope, name, uid, leftMs } = found.who;
    const subject = { kind, scope, name, uid };
    const own = await readGrants({ database, roles }, uid);
    // By where a role is held, not by where the credential uses it: one held at the installation is withheld by no organization.
    const withheld = await withheldGrants({ database }, { subject, via: found.via }, own);
    const counting = own.filter((grant) => !withheld.includes(grant));
    const grants = narrowGrants(counting, narrowingOf(found) ?? {});
    const caller: Caller = { subject, via: found.via, grants };
    return { caller, forMs: Math.min(rememberMs[use], leftMs ?? Number.POSITIVE_INFINITY) };
  }

  async function bySession(hash: Buffer): Promise<Found | undefined> {
    const who = await findBySession(database, hash, freshMinutes);
    if (who === undefined) return undefined;
    const { id, authenticatedAt, fresh, factors } = who;
    void touchSession(database, id).catch(() => {});
    return { who, via: { kind: "session", id, authenticatedAt, fresh, factors } };
  }

  async function byToken(hash: Buffer): Promise<Found | undefined> {
    const who = await findByToken(database, hash);
    if (who?.noteUse) void noteLastUse({ lane }, who).catch(() => {});
    if (who === undefined) return undefined;
    const narrowed = narrowingBy(who);
    const isNarrowed = Object.keys(narrowed).length > 0;
    return { who, via: { kind: "token", id: who.id, ...(isNarrowed ? { narrowed } : {}) } };
  }

  async function byWorkloadToken(hash: Buffer): Promise<Found | undefined> {
    const who = await findByWorkloadToken(database, hash);
    if (who === undefined) return undefined;
    void touchWorkloadToken(database, who.id).catch(() => {});
    return { who, via: { kind: "token", id: who.id, narrowed: { within: who.within } } };
  }

  async function ask(key: string, secret: string): Promise<Caller | undefined> {
    const started = generation;
    // What is left is counted by the database from some moment after this one: an expired secret is never still remembered.
    const askedAt = performance.now();
    const found = await lookUp(secret);
    // What was read before a change must not be remembered after it.
    if (started !== generation) return found?.caller;
    if (found === undefined) remembered.delete(key);
    else {
      const { caller, forMs } = found;
      if (remembered.size >= rememberMost) remembered.clear();
      remembered.set(key, { caller, until: askedAt + forMs, renewAt: askedAt + forMs / 2 });
    }
    return found?.caller;
  }

  /** Those that come with one secret at once ask once, and never share what was asked before a change. */
  function askOnce(key: string, secret: string): Promise<Caller | undefined> {
    const underWay = asking.get(key);
    if (underWay?.since === generation) return underWay.answer;
    const answer = ask(key, secret).finally(() => {
      if (asking.get(key)?.answer === answer) asking.delete(key);
    });
    asking.set(key, { since: generation, answer });
    return answer;
  }

  return {
    concerned,
    forget(whom) {
      generation++;
      if (whom === "everybody") return remembered.clear();
      for (const [key, { caller }] of remembered) if (whom.has(caller.subject.uid)) remembered.delete(key);
    },
    async identify({ secret }: Credential) {
      const key = digest(secret).toString("base64");
      const known = remembered.get(key);
      const now = performance.now();
      if (known === undefined || known.until <= now) return askOnce(key, secret);
      // If the database is away, whoever comes when it is no longer remembered is told.
      if (known.renewAt <= now) void askOnce(key, secret).catch(() => {});
      return known.caller;
    },
  };
}

const ofMany: ReadonlySet<string> = new Set([
  "Group",
  "Role",
  "IdentityProvider",
  "TrustedIssuer",
  "Organization",
]);

/**
 * A new user or account has nobody's rights yet, and programs make them by the thousand: only who is really concerned is
 * looked up anew. A binding may have had another subject before, and a group, a role or a trusted issuer many; an
 * organization may have begun to ask for a second factor: they concern everybody.
 */
function concerned(changes: readonly ChangeRow[]): Whom {
  const subjects = new Set<string>();
  for (const { kind, operation, uid, object } of changes) {
    if (kind === "RoleBinding") return "everybody";
    if (operation === "created") continue;
    if (ofMany.has(kind)) return "everybody";
    if (kind === "User" || kind === "ServiceAccount") subjects.add(uid);
    if (kind === "Token") subjects.add((JSON.parse(object) as Resource).metadata.owner?.uid ?? "");
  }
  return subjects;
}

export async function readGrants(
  { database, roles }: Pick<Tools, "database" | "roles">,
  subjectUid: string,
): Promise<Grant[]> {
  const held = await rolesOf(database, subjectUid);
  return held.flatMap(({ scope, role: name, binding, group, allows }) => {
    const builtin = isBuiltin(name) ? roles[name] : undefined;
    const role = allows === null ? builtin : { name, summary: "", allows: new Set(allows) };
    if (role === undefined) return [];
    const via = group === null ? {} : { group: childScope(group.scope, group.name) };
    return { scope, role, binding: childScope(scope, binding), ...via };
  });
}
