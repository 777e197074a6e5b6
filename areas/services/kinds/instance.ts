import { z } from "zod";
import { instanceStates, type ServiceSeen } from "./kept.ts";

const container = z.strictObject({
  name: z.string(),
  service: z.string(),
  image: z.string(),
  state: z.string().describe("Docker's word: running, exited, restarting, …"),
  health: z.enum(["none", "starting", "healthy", "unhealthy"]),
  restarts: z.number(),
  exitCode: z.number().optional(),
  startedAt: z.string().optional(),
  ports: z.array(z.string()),
  stopped: z
    .strictObject({ by: z.string(), at: z.string() })
    .optional()
    .describe("Stopped through Reeve: it stays so until somebody starts it, or deploys the service."),
});

const seen = z.strictObject({
  state: z.enum(instanceStates),
  why: z.string().optional().describe("What is not as it should be."),
  wanted: z.number().optional().describe("How many containers there should be."),
  revision: z.string().optional().describe("Of the repository that its files are from."),
  bundle: z.string().optional().describe("The digest of its files."),
  containers: z.array(container),
}) satisfies z.ZodType<ServiceSeen>;

/** Where a service runs, and what was seen of it there last. */
export const instance = seen.extend({
  host: z.string(),
  hostScope: z.string().optional().describe("Where the host itself lives: this scope, or one above it."),
  generation: z.number().optional().describe("What the host keeps true."),
  trying: z.number().optional().describe("A generation that has not settled yet."),
  seenAt: z.string().optional(),
});
export type Instance = z.infer<typeof instance>;
