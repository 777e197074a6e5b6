import { isIPv6, SocketAddress } from "node:net";
import { plainAddress } from "@reeve/control";
import { isName } from "@reeve/model";
import { defaultRetention } from "@reeve/store";
import { z } from "zod";
import { backupFields } from "./backup-fields.ts";
import { s3AccessKey, s3Endpoint, s3Region, s3SecretFile, storagePlace } from "./storage-fields.ts";
import { words } from "./words.ts";

const address = z.string().regex(/^(\[[0-9a-fA-F:.]+\]|[^:\s]+):\d{1,5}$/, {
  error: "write it as host:port, for example 127.0.0.1:8080",
});
const network = z.union([z.cidrv4(), z.cidrv6(), z.ipv4(), z.ipv6()], {
  error: "write networks as 10.1.0.0/16, separated by commas",
});
/** In the form in which sockets tell it: one address of IPv6 can be written in many ways. */
const proxy = z
  .union([z.ipv4(), z.ipv6()], { error: "write IP addresses as 10.0.0.5, separated by commas" })
  .transform((address) =>
    isIPv6(address) ? plainAddress(new SocketAddress({ address, family: "ipv6" }).address) : address,
  );
const roleNames = ["api", "agents", "work"] as const;
const days = z.coerce.number().min(0.01).max(36_500);

/** Every setting, once: its name in the file is the key, its flag --kebab-case, its variable REEVE_SNAKE_CASE. */
export const settings = {
  listen: address.default("127.0.0.1:8080").describe("where people and tools connect"),
  agentListen: address.default("127.0.0.1:8090").describe("where agents and other replicas connect"),
  agentUrl: z
    .string()
    .regex(/^https:\/\/[^,\s]+(,https:\/\/[^,\s]+)*$/, {
      error: "write it as https://host:port, several separated by commas",
    })
    .optional()
    .describe("where agents reach agentListen, when it is not this host and port"),
  homeAgent: z
    .enum(["on", "off"])
    .default("on")
    .describe("an agent that the server starts beside itself, in its data folder"),
  agentProxies: words
    .pipe(z.array(proxy))
    .default([])
    .describe("addresses of proxies that end TLS for agents: plain HTTP/2 from them, and bearer tokens"),
  agentLeaseSeconds: z.coerce
    .number()
    .int()
    .min(6)
    .max(3600)
    .default(30)
    .describe("how long an agent may be silent before it is lost; the same on all replicas"),
  data: z.string().default(".reeve").describe("the data folder"),
  databaseUrl: z
    .string()
    .regex(/^postgres(ql)?:\/\//, { error: "write it as postgres://user:password@host:port/database" })
    .optional()
    .describe("a PostgreSQL 14 or later; the embedded one when unset"),
  publicUrl: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe("the address people use, when a proxy stands in front"),
  trustedProxies: words
    .pipe(z.array(proxy))
    .default([])
    .describe("addresses of proxies that end TLS: plain HTTP from them, and their X-Forwarded-For counts"),
  tlsCert: z.string().optional().describe("a certificate file (PEM)"),
  tlsKey: z.string().optional().describe("its key file (PEM)"),
  tlsSelfMade: flag().describe("make a certificate in the data folder"),
  roles: words
    .pipe(z.array(z.enum(roleNames)).min(1))
    .default([...roleNames])
    .describe("what this replica does: api, agents, work"),
  replica: z
    .string()
    .refine(isName, { error: "use lower-case letters, digits and '-'" })
    .optional()
    .describe("this replica's name, the same after a restart"),
  readyReplicas: z.coerce
    .number()
    .int()
    .min(1)
    .max(1000)
    .optional()
    .describe("answer 503 until so many replicas and one agent are there"),
  peerAddress: address.optional().describe("how other replicas reach this one's agentListen"),
  rootKey: z
    .string()
    .optional()
    .describe("root keys: 32 bytes in base64 each, separated by commas, the newest last"),
  rootKeyFile: z.string().optional().describe("the file of root keys; <data>/root.key when unset"),
  drainSeconds: z.coerce
    .number()
    .min(0)
    .max(600)
    .default(0)
    .describe("on a stop, how long to be unready and still answer"),
  rootKeyVaultAddress: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe("a Vault whose transit engine keeps the root key"),
  rootKeyVaultToken: z.string().optional().describe("its token"),
  rootKeyVaultTokenFile: z.string().optional().describe("a file with its token, read anew each time"),
  rootKeyVaultMount: z
    .string()
    .regex(/^[\w-]+(\/[\w-]+)*$/)
    .default("transit")
    .describe("where the transit engine is mounted"),
  rootKeyVaultKey: z
    .string()
    .regex(/^[\w-]+$/)
    .default("reeve")
    .describe("the name of the transit key"),
  logLevel: z.enum(["debug", "info", "warn", "error"]).default("info"),
  anonymousPerMinute: z.coerce
    .number()
    .int()
    .min(1)
    .default(600)
    .describe("requests a minute from one address without a credential"),
  signedInPerMinute: z.coerce
    .number()
    .int()
    .min(1)
    .default(1_000_000)
    .describe("requests a minute of one subject"),
  watchesPerMinute: z.coerce
    .number()
    .int()
    .min(1)
    .default(10_000)
    .describe("watches a minute that one subject begins"),
  keepChangesDays: days.default(defaultRetention.changesDays).describe("how far back a watch can resume"),
  keepEventsDays: days.default(defaultRetention.eventsDays),
  keepAuditDays: days.default(defaultRetention.auditDays),
  auditHeadsFile: z.string().optional().describe("a file to which signed heads of the audit are appended"),
  auditHeadsWebhook: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe("an address to which they are posted"),
  auditHeadsSecret: z.string().min(16).optional().describe("what those posts are signed with"),
  keepGenerations: z.coerce
    .number()
    .int()
    .min(1)
    .default(defaultRetention.generations)
    .describe("generations kept of each resource"),
  keepDeletedDays: days.default(defaultRetention.deletedDays).describe("history of deleted resources"),
  keepRunsDays: days.default(defaultRetention.runsDays).describe("runs that have ended"),
  keepRecordingsDays: days
    .default(defaultRetention.recordingsDays)
    .describe("what terminals have shown, where it is recorded"),
  keepRecordingsMegabytes: z.coerce
    .number()
    .int()
    .min(1)
    .default(defaultRetention.recordingsBytes / 1024 ** 2)
    .describe("what all terminals of one organization have shown; the oldest goes first"),
  recordTerminals: flag().describe("record every terminal; else those of the organizations that say so"),
  keepLogsDays: days.default(defaultRetention.logs.days).describe("output of runs"),
  keepLogsMegabytes: z.coerce
    .number()
    .int()
    .min(1)
    .default(defaultRetention.logs.bytesOfDefinition / 1024 ** 2)
    .describe("output of all runs of one definition, compressed; the oldest goes first"),
  logMegabytesPerSecond: z.coerce
    .number()
    .min(0.1)
    .max(10_000)
    .default(40)
    .describe("output that is taken from one agent, before it is compressed"),
  notifyNetworks: words
    .pipe(z.array(network))
    .default([])
    .describe("private networks that notifications may go to"),
  logArchiveTo: storagePlace.describe(
    "where output of ended runs is copied to: /folder, the same on all replicas, or s3://bucket/path",
  ),
  logArchiveDays: days.default(400).describe("how long it stays there"),
  logArchiveS3Endpoint: s3Endpoint,
  logArchiveS3Region: s3Region,
  logArchiveS3AccessKey: s3AccessKey,
  logArchiveS3SecretFile: s3SecretFile,
  ...backupFields,
};

function flag() {
  return z
    .union([z.boolean(), z.enum(["true", "false"]).transform((text) => text === "true")])
    .default(false);
}
