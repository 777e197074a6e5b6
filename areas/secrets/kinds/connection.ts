import { baseStatus, defineKind, line } from "@reeve/model";
import { z } from "zod";
import { secretRef } from "./references.ts";

const description = z.string().max(2000).optional();
const host = z.string().regex(/^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$|^\[[0-9a-f:.]+\]$/, {
  error: "write a host name, an IPv4 address, or an IPv6 address in brackets",
});
const port = (usual: number) => z.int().min(1).max(65_535).default(usual);
const user = line.min(1);

/** A password in a URL would be readable by everybody who may read the connection. */
function url(...protocols: readonly string[]) {
  return z
    .string()
    .max(2000)
    .refine((text) => protocols.includes(URL.parse(text)?.protocol.slice(0, -1) ?? ""), {
      error: `write a URL that begins with ${protocols.map((one) => `${one}://`).join(" or ")}`,
    })
    .refine((text) => !URL.parse(text)?.password, {
      error: "a password in a URL can be read by all: put it in a Secret and refer to it",
    });
}

const git = z.strictObject({
  type: z.literal("git"),
  description,
  url: url("https", "http", "ssh"),
  user: user.optional(),
  password: secretRef.optional().describe("Or an access token; for https."),
  privateKey: secretRef.optional().describe("For ssh."),
  knownHosts: z.string().max(10_000).optional().describe("Lines of the file known_hosts, for ssh."),
});

const registry = z.strictObject({
  type: z.literal("registry"),
  description,
  url: url("https", "http"),
  user: user.optional(),
  password: secretRef.optional(),
});

const ssh = z.strictObject({
  type: z.literal("ssh"),
  description,
  host,
  port: port(22),
  user,
  privateKey: secretRef.optional(),
  password: secretRef.optional(),
  knownHosts: z.string().max(10_000).optional().describe("Lines of the file known_hosts."),
});

const http = z.strictObject({
  type: z.literal("http"),
  description,
  url: url("https", "http"),
  user: user.optional().describe("For basic authentication, with `password`."),
  password: secretRef.optional(),
  token: secretRef.optional().describe("Sent as `Authorization: Bearer …`."),
  headers: z.record(z.string().regex(/^[A-Za-z0-9-]{1,100}$/), line).optional(),
  ca: z.string().max(100_000).optional().describe("Certificates to trust, in PEM."),
});

const postgres = z.strictObject({
  type: z.literal("postgres"),
  description,
  host,
  port: port(5432),
  database: line.min(1),
  user,
  password: secretRef.optional(),
  tls: z.enum(["verify-full", "require", "disable"]).default("verify-full"),
  ca: z.string().max(100_000).optional().describe("Certificates to trust, in PEM."),
});

const smtp = z.strictObject({
  type: z.literal("smtp"),
  description,
  host,
  port: port(587),
  tls: z.enum(["starttls", "implicit", "none"]).default("starttls"),
  user: user.optional(),
  password: secretRef.optional(),
  from: z.email().max(254).optional(),
});

const s3 = z.strictObject({
  type: z.literal("s3"),
  description,
  endpoint: url("https", "http"),
  region: line.min(1).default("us-east-1"),
  bucket: line.min(1).optional(),
  accessKeyId: line.min(1),
  secretAccessKey: secretRef,
  pathStyle: z.boolean().default(false).describe("The bucket in the path, not in the host name."),
});

const generic = z.strictObject({
  type: z.literal("generic"),
  description,
  values: z.record(line.min(1), z.union([z.string().max(10_000), secretRef])),
});

const connectionSpec = z.discriminatedUnion("type", [git, registry, ssh, http, postgres, smtp, s3, generic]);

export const Connection = defineKind({
  name: "Connection",
  plural: "connections",
  shortNames: ["conn"],
  summary: "How to reach something outside: where it is, as whom, and by which secrets.",
  levels: ["installation", "organization", "project", "workspace"],
  spec: connectionSpec,
  status: baseStatus,
  fields: ["spec.type"],
  columns: [
    { title: "Type", value: (connection) => connection.spec.type },
    { title: "Where", value: ({ spec }) => whereOf(spec) },
    { title: "Description", wide: true, value: (connection) => connection.spec.description },
  ],
  example: `apiVersion: reeve/v1
kind: Connection
metadata:
  scope: acme/shop
  name: database
spec:
  type: postgres
  host: db.example.com
  database: shop
  user: shop
  password:
    secretRef:
      name: database
      key: password
`,
});

/** What a field of a connection is: plain, or a `secretRef`. Undefined when it has no such field. */
export function connectionField(spec: object, field: string): unknown {
  const { type, values } = spec as { type?: string; values?: object };
  const fields = type === "generic" ? (values ?? {}) : spec;
  return Object.hasOwn(fields, field) ? (fields as Record<string, unknown>)[field] : undefined;
}

function whereOf(spec: z.infer<typeof connectionSpec>): string | undefined {
  if ("host" in spec) return `${spec.host}:${spec.port}`;
  if ("url" in spec) return spec.url;
  return "endpoint" in spec ? spec.endpoint : undefined;
}
