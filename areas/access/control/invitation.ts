import type { ActionHandler, Controller, LookAt } from "@reeve/control";
import { Fault, type Outcome } from "@reeve/model";
import { readNow, readResource, type Stored } from "@reeve/store";
import { Invitation } from "../kinds/index.ts";
import { replaceInvitationTicket } from "../store/index.ts";
import { type BuiltinRoles, refuseMore, roleAddresses, roleUid, withRole } from "./named-role.ts";
import { newSecret } from "./secrets.ts";

const day = 86_400_000;
const linkDays = 7;
/** How long an invitation is still shown that was accepted, or that nobody accepted in time. */
const shownDays = 7;

export function invitationController(builtin: BuiltinRoles): Controller {
  return {
    kind: Invitation.name,
    refers: ({ scope, spec }) => roleAddresses(spec.role as string, scope),
    admit: (admission) => withRole(builtin, admission),
    actions: { issue: issuing(builtin) },
    reconcile: tidy,
  };
}

/** The link stands for the invitation as it is now: it opens nothing once the address or the role is another. */
function issuing(builtin: BuiltinRoles): ActionHandler {
  return async ({ resource, caller }, tools) => {
    const { uid, generation, scope } = resource.metadata;
    const { role: name, expiresAt: wanted } = resource.spec as { role: string; expiresAt?: string };
    const role = await namedBy(tools.database, resource);
    refuseMore(builtin, caller, { name, role, scope });
    const now = await readNow(tools.database);
    const expiresAt = wanted ?? new Date(now + linkDays * day).toISOString();
    if (Date.parse(expiresAt) <= now)
      throw new Fault("precondition", `the invitation expired at ${expiresAt}`, {
        next: "give it a later expiresAt",
      });
    const secret = newSecret("invitation");
    const issuedAt = new Date(now).toISOString();
    return {
      change: (invitation) => ({ ...invitation, status: { ...invitation.status, issuedAt, expiresAt } }),
      also: (sql) => replaceInvitationTicket(sql, { hash: secret.hash, uid, generation, expiresAt }),
      events: [
        {
          tone: "normal",
          reason: "Issued",
          message: "a new link was issued; one issued before no longer works",
        },
      ],
      output: () => ({ link: `${tools.publicUrl()}/invitation#${secret.text}`, expiresAt }),
    };
  };
}

/** The custom role that was meant; it may have been deleted by force since. */
async function namedBy(sql: Parameters<typeof readResource>[0], { spec, status, metadata }: Stored) {
  const uid = roleUid({ status });
  if (uid === undefined) return undefined;
  const found = await Promise.all(
    roleAddresses(spec.role as string, metadata.scope).map((at) => readResource(sql, at)),
  );
  const role = found.find((one) => one?.metadata.uid === uid);
  if (role === undefined)
    throw new Fault("precondition", `the role ${String(spec.role)} is gone`, {
      next: "give the invitation another role",
    });
  return role;
}

async function tidy({ resource: { status }, remove, tools }: LookAt): Promise<Outcome> {
  const ended = (status.acceptedAt ?? status.expiresAt) as string | undefined;
  if (ended === undefined) return { kind: "done", why: "no link was issued yet" };
  const leftMs = Date.parse(ended) + shownDays * day - (await readNow(tools.database));
  if (leftMs > 0)
    return {
      kind: "done",
      why: "removed a week after it was accepted or expired",
      againInMs: Math.min(leftMs + 50, day),
    };
  await remove("accepted or expired a week ago");
  return { kind: "done", why: "removed" };
}
