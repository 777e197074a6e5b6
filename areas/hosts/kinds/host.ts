import { baseStatus, defineKind, escapePointer, invalidField, no, type StatusOf, yes } from "@reeve/model";
import { z } from "zod";

/** What the control plane makes of an agent's silence. `waiting`: no agent has joined yet; `joined`: it has not called since. */
export const agentStates = [
  "waiting",
  "joined",
  "connected",
  "stopped",
  "suspect",
  "lost",
  "revoked",
] as const;
export type AgentState = (typeof agentStates)[number];

/** The label of hosts that do the control plane's own work, such as fetching from Git. */
export const homeLabel = "reeve/home";

const facts = z.looseObject({
  hostname: z.string().optional(),
  os: z.string().optional(),
  osVersion: z.string().optional(),
  arch: z.string().optional(),
  kernel: z.string().optional(),
  cpus: z.number().optional(),
  memoryBytes: z.number().optional(),
  capabilities: z.array(z.string()).optional(),
  bootedAt: z.string().optional(),
});

export type HostFacts = z.infer<typeof facts>;

export const Host = defineKind({
  name: "Host",
  plural: "hosts",
  shortNames: [],
  summary:
    "A machine with an agent on it. It serves its scope and all below; steps choose hosts by their labels.",
  levels: ["installation", "organization", "project"],
  ownerOnly: ["delete", "revoke", "shell"],
  spec: z.strictObject({
    description: z.string().max(200).optional(),
    drained: z
      .boolean()
      .optional()
      .describe("It is offered nothing new; what runs on it goes on to its end."),
    slots: z
      .int()
      .min(1)
      .max(10_000)
      .optional()
      .describe(
        "At most so many attempts at once, when the agent itself would do more. Counts from its next connection.",
      ),
  }),
  status: baseStatus.extend({
    agent: z.enum(agentStates).optional().describe("What is known of its agent."),
    seenAt: z.string().optional().describe("When a silent agent was heard last, and when another one came."),
    version: z.string().optional().describe("Of the agent."),
    executors: z.array(z.string()).optional().describe("What its agent can execute."),
    slots: z.number().optional().describe("How many attempts it does at once."),
    facts: facts.optional(),
    troubles: z
      .array(z.string())
      .optional()
      .describe("What its agent reports that somebody should see to, such as a full disk."),
    running: z.number().optional().describe("Of a drained host: how many steps it still holds."),
  }),
  fields: ["status.agent"],
  troubles: {
    "host-lost": {
      says: "is lost",
      over: "is back",
      afterMs: 0,
      why: ({ status }) =>
        status.agent === "lost"
          ? status.conditions?.find(({ type }) => type === "Connected")?.message
          : undefined,
    },
  },
  isInMaintenance: ({ spec, status }) => spec.drained === true || status.agent === "revoked",
  columns: [
    {
      title: "Agent",
      value: ({ status }) => `${status.agent ?? "waiting"}${status.troubles ? ", in trouble" : ""}`,
    },
    {
      title: "Drained",
      value: ({ spec, status }) =>
        spec.drained ? (status.running ? `${status.running} running` : "yes") : "",
    },
    { title: "Seen", value: ({ status }) => (status.agent === "connected" ? "now" : status.seenAt) },
    { title: "System", value: ({ status }) => systemOf(status.facts) },
    { title: "Trouble", wide: true, value: ({ status }) => status.troubles?.join("; ") },
    { title: "Version", wide: true, value: ({ status }) => status.version },
    { title: "Executors", wide: true, value: ({ status }) => status.executors?.join(", ") },
    { title: "Labels", wide: true, value: ({ metadata }) => showLabels(metadata.labels) },
  ],
  actions: {
    shell: {
      summary: "A shell of its agent's user: gives a ticket with which a terminal is opened, once.",
      input: z.strictObject({}),
      output: z.strictObject({
        ticket: z.string(),
        host: z.string(),
        recorded: z.boolean().describe("Whether what it shows is recorded."),
      }),
      secret: true,
      can: ({ status }) => (status.agent === "connected" ? yes : no("its agent is not connected")),
    },
    revoke: {
      summary: "Let its agent in no more, also if it is connected. It joins again with a new token.",
      input: z.strictObject({}),
      output: z.strictObject({}),
      can: ({ metadata }) => (metadata.deletingAt === undefined ? yes : no("the host is being deleted")),
    },
  },
  example: `apiVersion: reeve/v1
kind: Host
metadata:
  scope: acme
  name: build-1
  labels:
    zone: a
spec:
  description: The big one in the second rack.
`,
});

export type HostStatus = StatusOf<typeof Host>;

/** What only the control plane may say of a host: its facts, as labels. */
export function refuseOurs(labels: Readonly<Record<string, string>>, pointer: string): void {
  const ours = Object.keys(labels).find((key) => key.startsWith("reeve/") && key !== homeLabel);
  if (ours !== undefined)
    throw invalidField(
      `${pointer}/${escapePointer(ours)}`,
      "labels that begin with reeve/ are set by the control plane",
    );
}

function systemOf(facts: HostFacts | undefined): string | undefined {
  return facts && [facts.os, facts.arch].filter((part) => part).join("/");
}

function showLabels(labels: Readonly<Record<string, string>>): string {
  return Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(",");
}
