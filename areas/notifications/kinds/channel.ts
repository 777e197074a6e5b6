import { Host } from "@reeve/hosts/kinds";
import {
  baseStatus,
  defineKind,
  labelSelector,
  no,
  type Resource,
  scopeText,
  type Verdict,
  yes,
} from "@reeve/model";
import { secretRef } from "@reeve/secrets/kinds";
import { Repository, Service } from "@reeve/services/kinds";
import { z } from "zod";

/** Chat systems put the key into the address itself, so the address may be a secret, whole or in part. */
const address = z.union([
  z
    .string()
    .max(2000)
    .refine((text) => /^(https?:\/\/|\$\{\{\s*secrets\.)/.test(text), {
      error: "write an address that begins with https://",
    }),
  secretRef,
]);
const mailbox = z
  .string()
  .max(320)
  .regex(/^[^\s<>@,;]+@[^\s<>@,;]+$/, { error: "write an address such as ops@example.com" });

/** What is told beside runs, and of which kind it is. */
export const troubleKinds = [Service, Repository, Host] as const;
const troubleEvents = troubleKinds.flatMap(({ troubles }) => Object.keys(troubles ?? {}));

const tells = z
  .array(
    z.strictObject({
      on: z.array(z.enum(troubleEvents)).min(1).describe("What to tell. That it is over is told too."),
      scopes: z
        .array(scopeText)
        .min(1)
        .max(100)
        .optional()
        .describe("Only of these scopes, each with all below it; of the channel's own when left out."),
      labels: labelSelector.optional().describe("Only of what has these labels: `tier=prod`."),
    }),
  )
  .max(50)
  .optional()
  .describe("What it tells by itself of services, repositories and hosts in its scope and below.");
export type TellsRule = NonNullable<z.infer<typeof tells>>[number];

const webhook = z.strictObject({
  type: z.literal("webhook"),
  tells,
  url: address,
  secret: secretRef.describe("What each request is signed with, as Standard Webhooks has it."),
});
const slack = z.strictObject({
  type: z.literal("slack"),
  tells,
  url: address.describe(
    "An incoming webhook of Slack, Mattermost, Rocket.Chat or another that takes its form.",
  ),
});
const email = z.strictObject({
  type: z.literal("email"),
  tells,
  host: z.string().min(1).max(253).describe("The SMTP server."),
  port: z.int().min(1).max(65_535).default(587),
  tls: z
    .enum(["starttls", "always", "never"])
    .default("starttls")
    .describe(
      "starttls: refuse to go on without it. always: from the first byte, as on port 465. never: in the clear.",
    ),
  user: z.string().max(320).optional(),
  password: secretRef.optional(),
  from: mailbox,
  to: z.array(mailbox).min(1).max(50),
});

const channelSpec = z.discriminatedUnion("type", [webhook, slack, email]);
export type ChannelSpec = z.infer<typeof channelSpec>;

export const Channel = defineKind({
  name: "Channel",
  plural: "channels",
  shortNames: ["ch"],
  readByDatabase: ["spec.tells"],
  summary: "Where Reeve tells what has happened: a webhook, a chat room, an e-mail address.",
  levels: ["installation", "organization", "project", "workspace"],
  spec: channelSpec,
  status: baseStatus.extend({
    waiting: z.number().optional().describe("Notifications that could not be delivered yet."),
    dead: z
      .number()
      .optional()
      .describe("Notifications that were given up; the action retry tries them again."),
    deliveredAt: z.string().optional().describe("When the last one was delivered."),
  }),
  columns: [
    { title: "Type", value: ({ spec }) => spec.type },
    { title: "State", value: ({ status }) => stateOf(status) },
    { title: "Waiting", value: ({ status }) => status.waiting ?? 0 },
    { title: "Dead", value: ({ status }) => status.dead ?? 0 },
    { title: "Delivered", value: ({ status }) => status.deliveredAt },
    { title: "Detail", wide: true, value: ({ status }) => status.conditions?.[0]?.message },
  ],
  actions: {
    test: {
      summary: "Send one, to see that it arrives.",
      input: z.strictObject({}),
      output: z.strictObject({ notification: z.string() }),
      can: whileThere,
    },
    retry: {
      summary: "Try once more what was given up.",
      input: z.strictObject({}),
      output: z.strictObject({}),
      can: whileThere,
    },
  },
  example: `apiVersion: reeve/v1
kind: Channel
metadata:
  scope: acme/shop
  name: ops
spec:
  type: email
  host: mail.example.com
  from: reeve@example.com
  to: [ops@example.com]
  tells:
    - on: [deploy-failed, service-degraded]
      labels: tier=prod
`,
});

function stateOf({ conditions }: z.infer<typeof baseStatus>): string {
  const delivering = conditions?.find((one) => one.type === "Delivering");
  return delivering === undefined
    ? "not used yet"
    : delivering.status === "true"
      ? "good"
      : delivering.reason;
}

function whileThere({ metadata }: Pick<Resource, "metadata">): Verdict {
  return metadata.deletingAt === undefined ? yes : no("the channel is being deleted");
}
