import type { RouteAnswer, Tools } from "@reeve/control";
import { Fault, type Origin, type Subject } from "@reeve/model";
import { endSetup, isSetupToken, newResource, readNow } from "@reeve/store";
import { insertSession, writePassword } from "../store/index.ts";
import { hashPassword } from "./password-hash.ts";
import { digest } from "./secrets.ts";
import { newSession, sessionAnswer, viaOf } from "./sessions.ts";

export interface Setup {
  readonly token: string;
  readonly user: string;
  readonly displayName?: string | undefined;
  readonly password: string;
  readonly organization?: string | undefined;
  readonly carry: "cookie" | "bearer";
}

/** The first administrator, made once with the link that the very first start printed; never again after that. */
export async function setUp(tools: Tools, setup: Setup, origin: Origin, agent: string): Promise<RouteAnswer> {
  const hash = digest(setup.token);
  if (!(await isSetupToken(tools.database, hash))) throw usedUp();
  const passwordHash = await hashPassword(setup.password);
  const user = newResource(
    { kind: "User", scope: "", name: setup.user },
    {
      ...(setup.displayName ? { displayName: setup.displayName } : {}),
      disabled: false,
    },
  );
  const owner = { kind: "User", scope: "", name: setup.user, uid: user.metadata.uid };
  const binding = newResource(
    { kind: "RoleBinding", scope: "", name: `${setup.user.slice(0, 57)}-owner` },
    { role: "owner", subject: { kind: "User", name: setup.user } },
    { owner },
  );
  const organization =
    setup.organization &&
    newResource(
      { kind: "Organization", scope: "", name: setup.organization },
      { requireSecondFactor: false, recordTerminals: false },
      { finalizers: ["reeve/contents"] },
    );
  const created = [user, binding, ...(organization ? [organization] : [])];
  const opening = { userUid: user.metadata.uid, factors: ["password"], origin, agent };
  const session = newSession(opening, await readNow(tools.database));
  const subject: Subject = { ...owner, kind: "User" };
  await tools.lane.submit({
    author: {
      caller: { subject, via: viaOf(session), grants: [] },
      origin,
      reason: "first set-up",
    },
    needs: created.map((one) => ({ kind: one.kind, scope: "", name: one.metadata.name })),
    decide(view) {
      const taken = created.find((one) => view.get({ kind: one.kind, scope: "", name: one.metadata.name }));
      if (taken)
        throw new Fault("exists", `${taken.kind} ${taken.metadata.name} exists already`, {
          next: "choose another name",
        });
      return {
        writes: created.map((resource) => ({ operation: "create" as const, resource })),
        audit: created.map((one) => ({
          kind: one.kind,
          scope: "",
          name: one.metadata.name,
          operation: "setup",
          outcome: "done" as const,
        })),
        async also(sql) {
          if (!(await endSetup(sql, hash))) throw usedUp();
          await writePassword(sql, user.metadata.uid, passwordHash);
          await insertSession(sql, session.row);
        },
      };
    },
  });
  return sessionAnswer(session, setup.user, setup.carry);
}

function usedUp(): Fault {
  return new Fault("precondition", "this setup link is not valid: it was used, or replaced by a newer one", {
    next: "sign in; if nobody has set Reeve up yet, `npm start -- --setup-link` on the server's machine prints a new link",
  });
}
