import { type Context, narrowness, ownerOf, refuse } from "@reeve/control";
import { type Caller, Fault, invalidField, type Origin, type Subject } from "@reeve/model";
import { type Address, newResource, readByUid, readResource, type Stored, type Write } from "@reeve/store";
import { findTicket, isTaken, type Ticket, useTicket, writePassword } from "../store/index.ts";
import { hashPassword } from "./password-hash.ts";
import { digest } from "./secrets.ts";

export interface Acceptance {
  readonly token: string;
  /** For who has no user yet. */
  readonly user?: string | undefined;
  readonly displayName?: string | undefined;
  readonly password?: string | undefined;
}

/** Who accepts; a password makes a new user. */
interface Guest {
  readonly user: Stored;
  readonly passwordHash?: string;
}

interface Accepting {
  readonly caller: Caller | undefined;
  readonly origin: Origin;
}

/** The link makes a user with the invited address, or gives the role to the signed-in user who has that address. */
export async function accept(context: Context, acceptance: Acceptance, { caller, origin }: Accepting) {
  const { ticket, invitation } = await invitationOf(context, acceptance.token);
  const at = addressOf(invitation);
  const notTheirs = caller && narrowness(caller);
  if (notTheirs !== undefined) return refuse(context, { caller, origin }, "accept", at, notTheirs);
  const { user, passwordHash } = await (caller === undefined
    ? newcomer(acceptance, invitation)
    : member(context, caller));
  if (passwordHash === undefined && !sameAddress(user, invitation)) {
    const fault = new Fault("forbidden", "this invitation is for another address than yours", {
      next: "ask for one to your address, or sign out to make a user with the invited one",
    });
    return refuse(context, { caller, origin }, "accept", at, fault);
  }
  const { uid, name } = user.metadata;
  const { scope } = invitation.metadata;
  const { role, email } = invitation.spec as { role: string; email: string };
  const binding: Stored = {
    ...newResource(
      { kind: "RoleBinding", scope, name: `${invitation.metadata.name.slice(0, 50)}-${uid.slice(-8)}` },
      { role, subject: { kind: "User", name } },
      { owner: { kind: "User", scope: "", name, uid } },
    ),
    status: invitation.status.role === undefined ? {} : { role: invitation.status.role },
  };
  const subject: Subject = { kind: "User", scope: "", name, uid };
  await context.lane.submit({
    author: {
      caller: caller ?? { subject, via: { kind: "system", id: "invitation" }, grants: [] },
      origin,
      reason: `invitation ${invitation.metadata.name}`,
    },
    needs: [at, addressOf(user), addressOf(binding)],
    decide(view) {
      const now = view.get(at);
      if (now === undefined || !stands(now, ticket)) throw usedUp();
      const known = view.get(addressOf(user));
      if (passwordHash !== undefined && known !== undefined)
        throw new Fault("exists", `the name ${name} is taken`, { next: "choose another name" });
      if (passwordHash === undefined) ownerOf(known?.metadata.uid === uid ? known : raise(usedUp()));
      const status = { ...now.status, acceptedAt: view.now, acceptedBy: name };
      const writes: Write[] = [
        ...(passwordHash === undefined ? [] : [{ operation: "create" as const, resource: user }]),
        { operation: "create", resource: binding },
        { operation: "update", resource: { ...now, status } },
      ];
      return {
        writes,
        audit: writes.map(({ resource }) => ({
          ...addressOf(resource),
          operation: "accept",
          outcome: "done" as const,
        })),
        async check(sql) {
          // Never a second user of an address: its owner would not know which of them holds what.
          if (passwordHash !== undefined && (await isTaken(sql, email, uid)))
            throw new Fault("exists", "there is a user with this address already", {
              next: "sign in as that user, then open the link again",
            });
        },
        async also(sql) {
          if (!(await useTicket(sql, ticket))) throw usedUp();
          if (passwordHash !== undefined) await writePassword(sql, uid, passwordHash);
        },
      };
    },
  });
  return { user: name, created: passwordHash !== undefined, scope, role };
}

async function invitationOf(
  { database }: Context,
  token: string,
): Promise<{ ticket: Ticket; invitation: Stored }> {
  const ticket = await findTicket(database, "invitation", digest(token));
  const invitation = ticket && (await readByUid(database, String(ticket.detail.uid)));
  if (ticket === undefined || invitation === undefined || !stands(invitation, ticket)) throw usedUp();
  return { ticket, invitation };
}

function stands({ metadata, status }: Stored, { detail }: Ticket): boolean {
  const same = metadata.uid === detail.uid && metadata.generation === detail.generation;
  return same && metadata.deletingAt === undefined && status.acceptedAt === undefined;
}

/** A signed-in person; a program has no address to be invited by. */
async function member({ database }: Context, { subject }: Caller): Promise<Guest> {
  const at = { kind: "User", scope: "", name: subject.name };
  const user = subject.kind === "User" ? await readResource(database, at) : undefined;
  if (user === undefined) throw new Fault("forbidden", "only a user can accept an invitation");
  return { user };
}

async function newcomer({ user, displayName, password }: Acceptance, { spec }: Stored): Promise<Guest> {
  if (user === undefined)
    throw invalidField("/user", "choose a name", "or sign in first, if you have a user");
  if (password === undefined) throw invalidField("/password", "choose a password");
  const made = newResource(
    { kind: "User", scope: "", name: user },
    { ...(displayName ? { displayName } : {}), email: spec.email as string, disabled: false },
  );
  return { user: made, passwordHash: await hashPassword(password) };
}

function sameAddress(user: Stored, invitation: Stored): boolean {
  const fold = (email: unknown) => String(email ?? "").toLowerCase();
  return fold(user.spec.email) === fold(invitation.spec.email);
}

function addressOf({ kind, metadata: { scope, name } }: Stored): Address {
  return { kind, scope, name };
}

function raise(fault: Fault): never {
  throw fault;
}

function usedUp(): Fault {
  return new Fault(
    "precondition",
    "this invitation is not valid: it was used, replaced by a newer one, or has expired",
    {
      next: "ask who invited you for a new link",
    },
  );
}
