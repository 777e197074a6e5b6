import {
  type ActionPlan,
  type ActionRequest,
  type Admission,
  type Controller,
  forbidden,
  type LookAt,
} from "@reeve/control";
import {
  allows,
  contains,
  invalidField,
  type JsonObject,
  newUid,
  type Outcome,
  permissionOf,
  withCondition,
} from "@reeve/model";
import {
  type ChannelFigures,
  notify,
  readChannelFigures,
  reviveNotifications,
  type Stored,
} from "@reeve/store";
import { type ChannelSpec, troubleKinds } from "../kinds/index.ts";
import { usersOfChannel } from "../store/index.ts";

const usersShown = 1000;

export const channelController: Controller = {
  kind: "Channel",
  admit,
  usedBy: (sql, { kind, metadata: { scope, name } }) =>
    usersOfChannel(sql, { kind, scope, name }, usersShown),
  actions: { test, retry },
  reconcile,
};

/** Whoever writes a channel hears what it tells: it tells only what they may read. */
function admit({ after, caller }: Admission): Stored {
  const { scope } = after.metadata;
  for (const [at, { on, scopes = [scope] }] of (
    (after.spec as unknown as ChannelSpec).tells ?? []
  ).entries()) {
    const outside = scopes.findIndex((one) => !contains(scope, one));
    if (outside >= 0) throw invalidField(`/spec/tells/${at}/scopes/${outside}`, `is not within ${scope}`);
    for (const kind of troubleKinds) {
      if (!on.some((event) => Object.hasOwn(kind.troubles ?? {}, event))) continue;
      const reads = permissionOf(kind, "read");
      const hidden = scopes.find((one) => !allows(caller.grants, reads, one));
      if (hidden !== undefined) throw forbidden(reads, hidden);
    }
  }
  return after;
}

async function test({ resource }: ActionRequest): Promise<ActionPlan> {
  const { scope, name } = resource.metadata;
  const id = newUid();
  const message = {
    event: "test",
    title: `A test of the channel ${name}`,
    text: "If you can read this, notifications arrive.",
    about: { kind: "Channel", scope, name },
  };
  return {
    also: (sql) => notify(sql, [{ id, scope, channel: name, message }]),
    output: () => ({ notification: id }),
  };
}

async function retry({ resource }: ActionRequest): Promise<ActionPlan> {
  return { also: (sql) => reviveNotifications(sql, resource.metadata.uid), output: () => ({}) };
}

/** Shows how delivery goes; the deliveries themselves are a matter of their own, and make the channel due when one has ended. */
async function reconcile(look: LookAt): Promise<Outcome> {
  const figures = await readChannelFigures(look.tools.database, look.resource.metadata.uid);
  const { waiting, dead, deliveredAt } = figures;
  const conditions = look.resource.status.conditions as unknown as
    | Parameters<typeof withCondition>[0]
    | undefined;
  const used = deliveredAt !== null || waiting + dead > 0;
  const status = {
    waiting,
    dead,
    ...(deliveredAt === null ? {} : { deliveredAt }),
    ...(used
      ? { conditions: withCondition(conditions ?? [], verdictOf(figures), new Date().toISOString()) }
      : {}),
  };
  await look.report(status as unknown as JsonObject);
  return { kind: "done", why: used ? verdictOf(figures).message : "nothing was sent yet" };
}

function verdictOf({ waiting, dead, trouble }: ChannelFigures) {
  const bad = { type: "Delivering", status: "false" as const };
  if (dead > 0)
    return {
      ...bad,
      reason: "GivenUp",
      message: `${dead} given up: ${trouble}. Put that right, see that the action \`test\` arrives, then the action \`retry\` tries them again`,
    };
  if (waiting > 0 && trouble !== "")
    return { ...bad, reason: "Failing", message: `${waiting} waiting for another try: ${trouble}` };
  return {
    type: "Delivering",
    status: "true" as const,
    reason: "Delivered",
    message: "the last one was delivered",
  };
}
