import { type RouteAnswer, systemAuthor, type Tools } from "@reeve/control";
import { type Caller, Fault, type Origin, type Subject, showSubject } from "@reeve/model";
import { newResource, readByUid, type Write } from "@reeve/store";
import {
  countOwners,
  deleteFactors,
  endSessions,
  findTicket,
  insertTicket,
  useTicket,
  writePassword,
} from "../store/index.ts";
import { hashPassword } from "./password-hash.ts";
import { digest, newSecret } from "./secrets.ts";

const linkMinutes = 60;

export interface Recovery {
  readonly token: string;
  readonly expiresAt: string;
  /** What was done besides, for the person at the machine. */
  readonly did: readonly string[];
}

/**
 * For whoever has the database, because nobody can sign in any more: a one-time link for an existing user. A disabled user is
 * enabled, and owns the installation when nobody else does. Called by a command on the server's machine, never by a door.
 */
export async function beginRecovery(
  { database, lane }: Pick<Tools, "database" | "lane">,
  name: string,
): Promise<Recovery> {
  const at = { kind: "User", scope: "", name };
  const bindingAt = { kind: "RoleBinding", scope: "", name: `${name.slice(0, 54)}-recovery` };
  const ownerless = (await countOwners(database)) === 0;
  const secret = newSecret("recovery");
  let expiresAt = "";
  const did: string[] = [];
  await lane.submit({
    author: systemAuthor("recovery by a command on the server's machine"),
    needs: [at, bindingAt],
    decide(view) {
      const user = view.get(at);
      if (user === undefined || user.metadata.deletingAt !== undefined)
        throw new Fault("not_found", `there is no user ${name}`);
      const { uid, generation } = user.metadata;
      const writes: Write[] = [];
      if (user.spec.disabled === true) {
        const metadata = { ...user.metadata, generation: generation + 1 };
        writes.push({
          operation: "update",
          resource: { ...user, metadata, spec: { ...user.spec, disabled: false } },
        });
        did.push(`${name} was disabled and is enabled`);
      }
      if (ownerless && view.get(bindingAt) === undefined) {
        const spec = { role: "owner", subject: { kind: "User", name } };
        const binding = newResource(bindingAt, spec, { owner: { ...at, uid } });
        writes.push({ operation: "create", resource: binding });
        did.push(`nobody owned the installation: ${name} does now, by the binding ${bindingAt.name}`);
      }
      const audit = writes.map(({ resource: { kind, metadata } }) => ({
        kind,
        scope: "",
        name: metadata.name,
      }));
      return {
        writes,
        audit: [...audit, { ...at, uid }].map((entry) => ({
          ...entry,
          operation: "begin-recovery",
          outcome: "done" as const,
        })),
        async also(sql) {
          expiresAt = await insertTicket(
            sql,
            "recovery",
            { hash: secret.hash, userUid: uid, detail: {} },
            linkMinutes,
          );
        },
      };
    },
  });
  return { token: secret.text, expiresAt, did };
}

/** Uses the link: a new password, no second factors, no sessions. */
export async function recover(
  tools: Tools,
  { token, password }: { readonly token: string; readonly password: string },
  origin: Origin,
): Promise<RouteAnswer> {
  const ticket = await findTicket(tools.database, "recovery", digest(token));
  const user = ticket?.userUid == null ? undefined : await readByUid(tools.database, ticket.userUid);
  if (ticket === undefined || user === undefined || user.metadata.deletingAt !== undefined) throw usedUp();
  const { uid, name } = user.metadata;
  const hash = await hashPassword(password);
  const subject: Subject = { kind: "User", scope: "", name, uid };
  const caller: Caller = { subject, via: { kind: "system", id: "recovery" }, grants: [] };
  const done = { factorsRemoved: 0, sessionsEnded: 0 };
  await tools.lane.submit({
    author: { caller, origin, reason: "recovery link" },
    needs: [],
    decide: () => ({
      writes: [],
      audit: [{ kind: "User", scope: "", name, uid, operation: "recover", outcome: "done" }],
      events: [
        {
          uid,
          tone: "warning",
          reason: "Recovered",
          message: `${showSubject(subject)} was given a new password by a recovery link; factors were removed, sessions ended`,
        },
      ],
      async also(sql) {
        if (!(await useTicket(sql, ticket))) throw usedUp();
        await writePassword(sql, uid, hash);
        done.factorsRemoved = await deleteFactors(sql, uid);
        done.sessionsEnded = await endSessions(sql, uid, { except: null });
      },
    }),
  });
  tools.forget([uid]);
  return { body: { user: name, ...done } };
}

function usedUp(): Fault {
  return new Fault("precondition", "this recovery link is not valid: it was used, or has expired", {
    next: "`npm start -- --recover NAME` on the server's machine prints a new one",
  });
}
