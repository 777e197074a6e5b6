import { runCauses, runStates, stepStates, waitReasons } from "@reeve/model";
import { z } from "zod";

const time = z.iso.datetime();
const json = z.record(z.string(), z.json());

export const runShape = z
  .object({
    id: z.string(),
    scope: z.string(),
    about: z
      .object({ kind: z.string(), name: z.string(), uid: z.string(), generation: z.number() })
      .describe("the definition it was made from, as it was then"),
    state: z.enum(runStates),
    why: z.string().describe("in words: why it is queued, paused, or how it ended"),
    cause: z.enum(runCauses),
    by: z.string().describe("who began it, as `user:ada`; of a schedule or webhook its name"),
    inputs: json,
    outputs: json.optional(),
    priority: z.number(),
    scheduledAt: time.optional().describe("the tick that a scheduled or backfilled run stands for"),
    parent: z.object({ run: z.string(), seq: z.number() }).optional(),
    paused: z.boolean(),
    cancelling: z.boolean(),
    createdAt: time,
    startedAt: time.optional(),
    endedAt: time.optional(),
    waits: z
      .object({
        seq: z.number(),
        step: z.string(),
        reason: z.enum([...waitReasons, "agent"]),
        why: z.string(),
      })
      .optional()
      .describe(
        "in lists: the first step that waits for a person, or, when nothing of the run goes on, the first that waits at all",
      ),
  })
  .meta({ title: "Run" });

export const resultShape = runShape
  .pick({ id: true, state: true, why: true, createdAt: true, startedAt: true, endedAt: true })
  .extend({ of: z.string().describe("the uid of the definition") })
  .meta({ title: "RunResult" });

export const stepShape = z
  .object({
    seq: z.number(),
    name: z.string().describe("`load`, or `load[3]` for an item of a fan-out"),
    state: z.enum(stepStates),
    reason: z.enum(waitReasons).optional(),
    why: z.string().describe("in words: what it waits for, or how it ended"),
    needs: z.array(z.number()).describe("seqs of the steps it needs"),
    does: z.enum(["execute", "run", "approve", "wait", "make"]),
    cleanup: z.literal(true).optional().describe("also done when the run fails or is cancelled"),
    parent: z.number().optional().describe("the fan-out it is an item of"),
    item: z.json().optional(),
    items: z
      .partialRecord(z.enum(stepStates), z.number())
      .optional()
      .describe("of a fan-out: how many of its items are in each state"),
    executor: z.string().optional(),
    attempt: z.number(),
    epoch: z.number(),
    host: z.string().optional(),
    readyAt: time.optional(),
    startedAt: time.optional(),
    endedAt: time.optional(),
    nextAt: time.optional().describe("when it goes on by itself"),
    exitCode: z.number().optional(),
    outputs: json.optional(),
    child: z.string().optional().describe("the run it has begun"),
  })
  .meta({ title: "Step" });

export const attemptShape = z.object({
  seq: z.number().describe("of its step"),
  attempt: z.number(),
  state: z.enum(["succeeded", "failed", "cancelled", "lost", "returned"]),
  why: z.string(),
  host: z.string().optional(),
  exitCode: z.number().optional(),
  startedAt: time.optional(),
  endedAt: time,
});

export const eventShape = z.object({
  at: time,
  seq: z.number().optional(),
  tone: z.enum(["normal", "warning"]),
  reason: z.string(),
  message: z.string(),
  by: z.string(),
});

export const rateShape = z.object({
  at: z.string(),
  begun: z.number(),
  succeeded: z.number(),
  failed: z.number(),
  cancelled: z.number(),
  queued: z.number(),
  running: z.number(),
});
