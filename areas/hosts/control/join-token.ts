import { createHash, randomBytes } from "node:crypto";
import type { ActionHandler, Admission, Controller, LookAt } from "@reeve/control";
import { Fault, invalidField, labelErrors, type Outcome, writeJoinToken } from "@reeve/model";
import { readNow, type Stored } from "@reeve/store";
import { joinHours, refuseOurs } from "../kinds/index.ts";
import { writeJoinSecret } from "../store/index.ts";

const hour = 3_600_000;
/** How long a token is still shown that was used up, or that nobody used in time. */
const shownMs = 24 * hour;

export const joinTokenController: Controller = {
  kind: "JoinToken",
  admit: admitJoinToken,
  actions: { issue: (request, tools) => issue(request, tools) },
  reconcile: tidy,
};

export interface JoinTokenSpec {
  readonly uses: number;
  readonly expiresAt?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly hosts?: string;
  readonly replace?: boolean;
}

function admitJoinToken({ after }: Admission): Stored {
  const { labels = {} } = after.spec as unknown as JoinTokenSpec;
  const [wrong] = labelErrors(labels);
  if (wrong) throw invalidField(wrong.pointer.replace("/metadata", "/spec"), wrong.message);
  refuseOurs(labels, "/spec/labels");
  return after;
}

const issue: ActionHandler = async ({ resource }, tools) => {
  const { uid } = resource.metadata;
  const now = await readNow(tools.database);
  const expiresAt =
    (resource.spec as unknown as JoinTokenSpec).expiresAt ?? new Date(now + joinHours * hour).toISOString();
  if (Date.parse(expiresAt) <= now)
    throw new Fault("precondition", `the join token expired at ${expiresAt}`, {
      next: "give it a later expiresAt",
    });
  const secret = randomBytes(32).toString("base64url");
  const status = { issuedAt: new Date(now).toISOString(), expiresAt, used: 0, hosts: [] };
  return {
    change: (token) => ({ ...token, status: { ...token.status, ...status } }),
    also: (sql) => writeJoinSecret(sql, uid, digest(secret)),
    events: [
      { tone: "normal", reason: "Issued", message: "a new text was issued; one issued before works no more" },
    ],
    output: () => ({ token: writeJoinToken({ id: uid, secret, pin: tools.authority.pin }), expiresAt }),
  };
};

/** 256 random bits need no slow hash; the digest is only so that a copy of the table opens no door. */
export function digest(secret: string): Buffer {
  return createHash("sha256").update(secret).digest();
}

async function tidy({ resource: { metadata, spec, status }, remove, tools }: LookAt): Promise<Outcome> {
  const { used = 0, expiresAt } = status as { used?: number; expiresAt?: string };
  if (expiresAt === undefined) return { kind: "done", why: "was not issued yet" };
  const isUsedUp = used >= (spec as unknown as JoinTokenSpec).uses;
  // Nothing changes one that is used up but the join that did it, and people.
  const overAt = Math.min(Date.parse(expiresAt), isUsedUp ? Date.parse(metadata.updatedAt) : Infinity);
  const leftMs = overAt + shownMs - (await readNow(tools.database));
  if (leftMs > 0)
    return {
      kind: "done",
      why: `${isUsedUp ? "is used up" : `works until ${expiresAt} at most`}, and is removed a day later`,
      againInMs: Math.min(leftMs + 50, shownMs),
    };
  await remove("stopped working a day ago");
  return { kind: "done", why: "removed" };
}
