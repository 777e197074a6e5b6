import type { Json, JsonObject } from "@reeve/model";

/** One thing wrong with a spec, and the field that must be named for it. */
export interface Case {
  readonly what: string;
  readonly spec: Json;
  readonly pointer: string;
}

/** A spec of each kind that works, and where to put it. */
export function baseOf(kind: string): { path: string; spec: JsonObject } {
  const shop = "/organizations/acme/projects/shop";
  const subject = { kind: "ServiceAccount", name: "ci" };
  const words = { displayName: "A name", description: "Some words" };
  const bases: Record<string, { path: string; spec: JsonObject }> = {
    Organization: { path: "/organizations/new", spec: words },
    Project: { path: "/organizations/acme/projects/new", spec: words },
    Workspace: { path: `${shop}/workspaces/new`, spec: words },
    Quota: { path: `${shop}/quotas/new`, spec: { description: "Words", limits: { tokens: 5 } } },
    User: { path: "/users/new", spec: { displayName: "Grace", email: "grace@example.com", disabled: false } },
    ServiceAccount: { path: `${shop}/serviceaccounts/new`, spec: { description: "Words", disabled: false } },
    Group: {
      path: "/organizations/acme/groups/new",
      spec: {
        description: "Words",
        members: [{ ...subject, scope: "acme/shop" }],
        claims: [{ provider: "corporate", value: "developers" }],
      },
    },
    Role: {
      path: "/organizations/acme/roles/new",
      spec: { description: "Words", allows: ["*:read", "projects:update"] },
    },
    Invitation: {
      path: "/organizations/acme/invitations/new",
      spec: { email: "guest@example.com", role: "viewer", expiresAt: "2099-01-01T00:00:00Z" },
    },
    RoleBinding: { path: `${shop}/rolebindings/new`, spec: { role: "viewer", subject } },
    Channel: {
      path: `${shop}/channels/new`,
      spec: { type: "email", host: "mail.example", from: "a@b.example", to: ["c@d.example"] },
    },
    Backup: { path: "/backups/new", spec: { description: "Words" } },
    Token: {
      path: `${shop}/tokens/new`,
      spec: {
        subject,
        description: "Words",
        within: "acme/shop",
        allows: ["*:read", "projects:update"],
        expiresAt: "2099-01-01T00:00:00Z",
      },
    },
    IdentityProvider: {
      path: "/identityproviders/new",
      spec: {
        displayName: "Words",
        issuer: "https://id.example",
        clientId: "reeve",
        scopes: ["openid"],
        claims: { name: "name", email: "email", groups: "groups" },
        allow: { emailDomains: ["example.com"], groups: ["staff"] },
        createUsers: true,
        secondFactor: ["mfa"],
        disabled: false,
      },
    },
    TrustedIssuer: {
      path: `${shop}/trustedissuers/new`,
      spec: {
        description: "Words",
        issuer: "https://ci.example",
        audience: "reeve",
        rules: [{ claims: { sub: "job" }, serviceAccount: { name: "ci" } }],
        tokenMinutes: 5,
      },
    },
    Secret: {
      path: `${shop}/secrets/new`,
      spec: { description: "Words", keys: { password: {} }, serves: ["acme/shop"] },
    },
    Connection: {
      path: `${shop}/connections/new`,
      spec: { type: "smtp", description: "Words", host: "mail.example.com", port: 25, tls: "none" },
    },
    Host: {
      path: `${shop}/hosts/new`,
      spec: { description: "Words", drained: false, slots: 4 },
    },
    JoinToken: {
      path: `${shop}/jointokens/new`,
      spec: {
        description: "Words",
        uses: 2,
        expiresAt: "2030-01-01T00:00:00Z",
        labels: { pool: "build" },
        hosts: "build-*",
        replace: true,
      },
    },
    Source: {
      path: `${shop}/sources/new`,
      spec: {
        description: "Words",
        git: { url: "git://127.0.0.1:1/flows.git", ref: "main", path: "flows", user: "git" },
        every: "1d",
        prune: false,
      },
    },
    Repository: {
      path: `${shop}/repositories/new`,
      spec: {
        description: "Words",
        git: { url: "git://127.0.0.1:1/apps.git", ref: "main", path: "apps", user: "git" },
        every: "1d",
        writeBack: true,
      },
    },
    Service: {
      path: `${shop}/services/new`,
      spec: {
        description: "Words",
        files: { "compose.yaml": "services: { web: { image: web } }" },
        compose: ["compose.yaml"],
        project: "new",
        environment: { TZ: "UTC" },
        hosts: { names: ["web-1"], labels: "zone=a" },
        state: "stopped",
        health: { timeout: "1m" },
      },
    },
    Workflow: {
      path: `${shop}/workflows/new`,
      spec: {
        description: "Words",
        inputs: { name: { type: "text", default: "world" } },
        env: { TZ: "UTC" },
        steps: [{ name: "hello", run: "echo hello" }],
        outputs: { rows: 5 },
        concurrency: { key: "one", most: 1, over: "queue" },
        timeout: "1h",
        priority: 1,
      },
    },
  };
  const base = bases[kind];
  if (base === undefined) throw new Error(`a new kind needs a spec that works: ${kind}`);
  return base;
}

const ofEveryType: Json[] = [null, true, 1, "text", [], {}, ["text"], { a: 1 }];

/** Every field of the schema with values of every other type, with its limits overstepped, and left out if it is needed. */
export function wrongFields(
  schema: JsonObject,
  base: JsonObject,
  pointer = "/spec",
  rebuild = (value: Json): Json => value,
): Case[] {
  const properties = (schema.properties ?? {}) as Record<string, JsonObject>;
  return Object.entries(properties).flatMap(([name, field]) => {
    const at = `${pointer}/${name}`;
    const set = (value: Json) => rebuild({ ...base, [name]: value });
    const types = ofEveryType
      .filter((value) => !fits(field, value))
      .map((value) => ({ what: `${at} = ${JSON.stringify(value)}`, spec: set(value), pointer: at }));
    const limits = beyond(field).map((value) => ({
      what: `${at} beyond its limits`,
      spec: set(value),
      pointer: at,
    }));
    const { [name]: _, ...without } = base;
    const missing = (schema.required as string[] | undefined)?.includes(name)
      ? [{ what: `${at} missing`, spec: rebuild(without), pointer: at }]
      : [];
    const below =
      field.type === "object" && field.properties
        ? wrongFields(field, (base[name] ?? {}) as JsonObject, at, set)
        : [];
    return [...types, ...limits, ...missing, ...below];
  });
}

/** A field nobody knows, in every object of the schema, under names that do something in JavaScript. */
export function unknownFields(
  schema: JsonObject,
  base: JsonObject,
  pointer = "/spec",
  rebuild = (value: Json): Json => value,
): Case[] {
  const names = ["bogus", "constructor", "toString", "hasOwnProperty", "DisplayName", "a/b", ""];
  const here = names.map((name) => ({
    what: `unknown ${pointer}/${name}`,
    spec: rebuild({ ...base, [name]: 1 }),
    pointer: `${pointer}/${name.replaceAll("/", "~1")}`,
  }));
  const properties = Object.entries((schema.properties ?? {}) as Record<string, JsonObject>);
  const below = properties.flatMap(([name, field]) =>
    field.type === "object" && field.properties
      ? unknownFields(field, (base[name] ?? {}) as JsonObject, `${pointer}/${name}`, (value) =>
          rebuild({ ...base, [name]: value }),
        )
      : [],
  );
  return [...here, ...below];
}

function fits({ type, enum: words }: JsonObject, value: Json): boolean {
  if (Array.isArray(words)) return words.includes(value);
  if (type === "string") return typeof value === "string";
  if (type === "boolean") return typeof value === "boolean";
  if (type === "number" || type === "integer") return typeof value === "number";
  if (type === "array") return Array.isArray(value);
  // An object with the wrong fields is wrong in its fields, which has cases of its own.
  return type === "object" ? typeof value === "object" && value !== null && !Array.isArray(value) : false;
}

function beyond({ type, enum: words, maxLength, format }: JsonObject): Json[] {
  if (type !== "string" || words !== undefined) return [];
  const long =
    typeof maxLength === "number" ? ["x".repeat(maxLength + 1), "\u{1f600}".repeat(maxLength + 1)] : [];
  const formats: Record<string, Json[]> = {
    email: ["text", "a@", "@b", "a b@c.de", "a@b@c.de"],
    "date-time": ["tomorrow", "2030-02-30T00:00:00Z", "2030-01-01", "2030-01-01T25:00:00Z", "0"],
  };
  return [...long, ...(typeof format === "string" ? (formats[format] ?? []) : [])];
}

/** Metadata that is wrong, whatever the kind. */
export const wrongMetadata: readonly { what: string; metadata: JsonObject; pointer: string }[] = [
  ...many("uid", [1, true, null, [], {}]),
  ...many("generation", ["1", true, null, [], {}]),
  ...many("revision", ["1", true, null, [], {}]),
  ...many("labels", [1, "text", true, null, []]),
  ...many("annotations", [1, "text", true, null, []]),
  ...many("finalizers", [1, "a/b", true, null, {}]),
  ...many("owner", [1, "text", true, []]),
  ...many("paused", [1, "true", null, [], {}]),
  ...[1, true, null, [], {}].flatMap((value): { what: string; metadata: JsonObject; pointer: string }[] => [
    {
      what: `label ${JSON.stringify(value)}`,
      metadata: { labels: { a: value } },
      pointer: "/metadata/labels/a",
    },
    {
      what: `annotation ${JSON.stringify(value)}`,
      metadata: { annotations: { a: value } },
      pointer: "/metadata/annotations/a",
    },
    {
      what: `finalizer ${JSON.stringify(value)}`,
      metadata: { finalizers: [value] },
      pointer: "/metadata/finalizers/0",
    },
    {
      what: `owner's kind ${JSON.stringify(value)}`,
      metadata: { owner: { kind: value, name: "ci" } },
      pointer: "/metadata/owner/kind",
    },
    {
      what: `owner's name ${JSON.stringify(value)}`,
      metadata: { owner: { kind: "ServiceAccount", name: value } },
      pointer: "/metadata/owner/name",
    },
    {
      what: `owner's scope ${JSON.stringify(value)}`,
      metadata: { owner: { kind: "ServiceAccount", name: "ci", scope: value } },
      pointer: "/metadata/owner/scope",
    },
  ]),
  ...["x", "a b/c", "a/", "/a", "A/b", "a/b/c", "a/b\n", ""].map((value) => ({
    what: `finalizer ${JSON.stringify(value)}`,
    metadata: { finalizers: [value] },
    pointer: "/metadata/finalizers/0",
  })),
  {
    what: "owner with a field too many",
    metadata: { owner: { kind: "ServiceAccount", name: "ci", bogus: 1 } },
    pointer: "/metadata/owner/bogus",
  },
  {
    what: "owner without a name",
    metadata: { owner: { kind: "ServiceAccount" } },
    pointer: "/metadata/owner/name",
  },
  ...["bogus", "label", "Labels", "constructor", "namespace", "deletionTimestamp"].map((name) => ({
    what: `unknown ${name}`,
    metadata: { [name]: "x" },
    pointer: `/metadata/${name}`,
  })),
];

function many(field: string, values: Json[]): { what: string; metadata: JsonObject; pointer: string }[] {
  return values.map((value) => ({
    what: `${field} = ${JSON.stringify(value)}`,
    metadata: { [field]: value },
    pointer: `/metadata/${field}`,
  }));
}
