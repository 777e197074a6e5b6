import type { ActionPlan, ActionRequest, Controller, LookAt } from "@reeve/control";
import { type JsonObject, newUid, type Outcome, withCondition } from "@reeve/model";
import { type ChannelFigures, notify, readChannelFigures, reviveNotifications } from "@reeve/store";
import { usersOfChannel } from "../store/users.ts";

const usersShown = 1000;

export const channelController: Controller = {
  kind: "Channel",
  usedBy: (sql, { kind, metadata: { scope, name } }) =>
    usersOfChannel(sql, { kind, scope, name }, usersShown),
  actions: { test, retry },
  reconcile,
};

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
