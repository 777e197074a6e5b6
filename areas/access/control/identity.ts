import type { Credential, Identity, Tools, Whom } from "@reeve/control";
import type { Caller, Grant, Resource } from "@reeve/model";
import type { ChangeRow } from "@reeve/store";
import { findBySession, findByToken, rolesOf, touchSession } from "../store/index.ts";
import { digest, useOf } from "./secrets.ts";

const rememberMs = 5000;
const rememberMost = 10_000;

/**
 * Who is behind a secret, with every role they hold. Remembered for a few seconds; a change of users, tokens or bindings
 * is told by the change stream and forgets whom it concerns at once. Only a session ended on another replica waits for the clock.
 */
export function openIdentity({ database, roles }: Tools): Identity {
  const remembered = new Map<string, { caller: Caller; until: number }>();
  let generation = 0;

  async function lookUp(secret: string): Promise<{ caller: Caller; leftMs: number } | undefined> {
    const use = useOf(secret);
    if (use !== "session" && use !== "token") return undefined;
    const hash = digest(secret);
    const found = await (use === "session" ? findBySession(database, hash) : findByToken(database, hash));
    if (found === undefined) return undefined;
    if (use === "session") void touchSession(database, found.id).catch(() => {});
    const { id, expiresAt, ...subject } = found;
    const grants = await readGrants({ database, roles }, found.uid);
    const leftMs = expiresAt === null ? Number.POSITIVE_INFINITY : Date.parse(expiresAt) - Date.now();
    return { caller: { subject, via: { kind: use, id }, grants }, leftMs };
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
      if (known !== undefined && known.until > performance.now()) return known.caller;
      const started = generation;
      const found = await lookUp(secret);
      // What was read before a change must not be remembered after it.
      if (found !== undefined && started === generation) {
        if (remembered.size >= rememberMost) remembered.clear();
        remembered.set(key, {
          caller: found.caller,
          until: performance.now() + Math.min(rememberMs, found.leftMs),
        });
      }
      return found?.caller;
    },
  };
}

/**
 * A new user or account has nobody's rights yet, and programs make them by the thousand: only who is really concerned is
 * looked up anew. A binding may have had another subject before, so it concerns everybody.
 */
function concerned(changes: readonly ChangeRow[]): Whom {
  const subjects = new Set<string>();
  for (const { kind, operation, uid, object } of changes) {
    if (kind === "RoleBinding") return "everybody";
    if (operation === "created") continue;
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
  return held.flatMap(({ scope, role: name, binding }) => {
    const role = roles[name];
    return role === undefined
      ? []
      : [{ scope, role, binding: scope === "" ? binding : `${scope}/${binding}` }];
  });
}
