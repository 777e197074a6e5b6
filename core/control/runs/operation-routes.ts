import type { RunOperation } from "@reeve/runs";
import { readRun } from "@reeve/store/runs";
import { z } from "zod";
import { type AreaRoute, defineRoute } from "../route.ts";
import { runScopes } from "./find.ts";
import { cancelRuns, operateRun } from "./operate.ts";
import { answered, common, type RunRouteParts, seqOf } from "./parts.ts";
import { cancelBody, filterOf } from "./query.ts";
import { readRunNow } from "./read.ts";
import { runShape } from "./schemas.ts";

const note = z.string().max(1000);

/** Runs as people steer them. */
export function runOperationRoutes(parts: RunRouteParts): AreaRoute[] {
  const { context } = parts;
  const steer = steering(parts);
  return [
    steer(
      "/runs/:id/cancel",
      "runs:cancel",
      "Cancel a run",
      z.strictObject({ why: note.optional() }),
      ({ why = "" }) => ({
        does: "cancel",
        why,
      }),
    ),
    steer(
      "/runs/:id/pause",
      "runs:pause",
      "Begin no further step of a run until resumed",
      z.strictObject({}),
      () => ({
        does: "pause",
      }),
    ),
    steer("/runs/:id/resume", "runs:resume", "Let a paused run go on", z.strictObject({}), () => ({
      does: "resume",
    })),
    steer(
      "/runs/:id/retry",
      "runs:retry",
      "Do a run that has ended over: all of it, or what did not succeed and what follows from it",
      z.strictObject({ from: z.enum(["start", "failed"]).optional() }),
      ({ from = "start" }) => ({ does: "retry", from }),
    ),
    defineRoute({
      ...common,
      method: "POST",
      path: "/runs/cancel",
      summary: "Cancel the runs that fit, newest first, at most 1000 at once",
      description: "Needs `runs:cancel`; reaches the scopes in which you hold it.",
      body: cancelBody,
      answer: z.object({ cancelled: z.array(z.string()), more: z.boolean() }),
      async run({ body, ...request }) {
        const scopes = await runScopes(context, request, "cancel", "cancel", body.scope);
        const filter = filterOf(context.registry, scopes, body);
        return answered(await cancelRuns(context, request, filter, body.why ?? ""));
      },
    }),
  ];
}

export function stepOperationRoutes(parts: RunRouteParts): AreaRoute[] {
  const steer = steering(parts);
  const noted = z.strictObject({ note: note.optional() });
  const at = "/runs/:id/steps/:seq";
  return [
    steer(
      `${at}/skip`,
      "runs:skip",
      "Leave a step out that has not begun; with `as: succeeded` those after it go on as if it had succeeded",
      z.strictObject({ as: z.literal("succeeded").optional() }),
      ({ as }, seq) => ({ does: "skip", seq, ...(as === undefined ? {} : { as }) }),
    ),
    steer(
      `${at}/approve`,
      "runs:approve",
      "Approve a step that waits for it",
      noted,
      ({ note = "" }, seq) => ({
        does: "approve",
        seq,
        note,
      }),
    ),
    steer(
      `${at}/reject`,
      "runs:approve",
      "Reject a step that waits for approval; it fails",
      noted,
      ({ note = "" }, seq) => ({
        does: "reject",
        seq,
        note,
      }),
    ),
    steer(
      `${at}/decide`,
      "runs:decide",
      "Say what became of a lost attempt of an at-most-once step",
      z.strictObject({ outcome: z.enum(["succeeded", "failed", "again"]) }),
      ({ outcome }, seq) => ({ does: "decide", seq, outcome }),
    ),
  ];
}

/** An operation as a route: it answers with the run as it is then. */
function steering({ context, facts }: RunRouteParts) {
  return <Body>(
    path: string,
    permission: string,
    summary: string,
    body: z.ZodType<Body>,
    operation: (body: Body, seq: number) => RunOperation,
  ): AreaRoute =>
    defineRoute({
      ...common,
      method: "POST",
      path,
      summary,
      description: `Needs \`${permission}\` in the run's scope. Takes an Idempotency-Key.`,
      body,
      answer: runShape,
      async run({ body: given, params: { id = "", seq }, ...request }) {
        const wanted = operation(given, seq === undefined ? 0 : seqOf(seq));
        const run = await operateRun(context, request, id, wanted);
        const read = await readRun(context.database, run);
        return answered(read && (await readRunNow(facts, read)));
      },
    });
}
