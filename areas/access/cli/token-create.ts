import { parseDuration, type Scope } from "@reeve/model";
import type { Client } from "@reeve/sdk";
import { type Desk, defineVerb, text, texts, Usage } from "@reeve/sdk/cli";
import { Token } from "../kinds/index.ts";

export const tokenCreate = defineVerb()({
  name: "token create",
  group: "access",
  summary: "Make an API token; its secret alone goes to stdout, this once",
  args: [{ name: "NAME" }],
  options: {
    for: text("SUBJECT", "user/NAME or serviceaccount/NAME; yourself when left out", { completes: "target" }),
    within: text("SCOPE", "It reaches this scope and what is below it, and nothing else", {
      completes: "scope",
    }),
    allows: texts("PERMISSION,…", "It has these of its subject's permissions, such as *:read, and no others"),
    expires: text("DURATION", "When it stops working, such as 12h or 30d, or `never`; 90d when left out"),
    description: text("TEXT", "What it is for"),
  },
  example:
    "reeve token create ci-2026 --for serviceaccount/ci --expires 30d\nreeve token create deploys --within acme/shop --allows workflows:trigger,runs:read",
  async run(desk, { args: [name = ""], options }) {
    // Tokens that nobody remembers are what leaks: one without an end has to be asked for.
    const expires = options.expires === "never" ? undefined : parseDuration(options.expires ?? "90d");
    const { description, within } = options;
    // Of an empty list the server says that it is one: it must not become a token for everything.
    const given = options.allows.flatMap((one) => one.split(",")).filter((one) => one !== "");
    const allows = options.allows.length === 0 ? undefined : given;
    const client = await desk.client();
    const subject = await subjectOf(desk, client, options.for);
    const scope = desk.flags.scope ?? subject.scope;
    const tokens = client.kind(Token);
    const { resource } = await tokens.create({
      metadata: { scope, name },
      spec: {
        subject: {
          kind: subject.kind,
          name: subject.name,
          ...(subject.scope === scope ? {} : { scope: subject.scope }),
        },
        ...(description === undefined ? {} : { description }),
        ...(within === undefined ? {} : { within }),
        ...(allows === undefined ? {} : { allows }),
        ...(expires === undefined ? {} : { expiresAt: new Date(Date.now() + expires).toISOString() }),
      },
    });
    const issued = await tokens
      .act<{ secret: string; expiresAt?: string }>(scope, name, "issue")
      .catch(async (error) => {
        // A token without a secret is of no use to anyone, and would take the name.
        await tokens.delete(scope, name).catch(() => undefined);
        throw error;
      });
    const { metadata, spec } = resource;
    if (await desk.data({ name: metadata.name, scope: metadata.scope, ...issued })) return 0;
    const what = [
      `token ${name} for ${subject.kind.toLowerCase()} ${subject.name}`,
      ...(within === undefined ? [] : [`within ${within}`]),
      ...(allows === undefined ? [] : [`for ${allows.join(" and ")} only`]),
      spec.expiresAt ? `until ${spec.expiresAt}` : "without an end",
    ];
    desk.say(`${what.join(", ")}; keep the secret, it is not shown again:`);
    desk.out(`${issued.secret}\n`);
    return 0;
  },
});

interface Subject {
  readonly kind: "User" | "ServiceAccount";
  readonly scope: Scope;
  readonly name: string;
}

async function subjectOf(desk: Desk, client: Client, word: string | undefined): Promise<Subject> {
  if (word === undefined) {
    const { subject } = await client.whoami();
    return checked(subject);
  }
  const { kind, scope, name } = await desk.target(word);
  return checked({ kind: kind.name, scope, name });
}

function checked({ kind, scope, name }: { kind: string; scope: Scope; name: string }): Subject {
  if (kind === "User" || kind === "ServiceAccount") return { kind, scope, name };
  throw new Usage(`a ${kind} cannot hold a token`, "use --for user/NAME or --for serviceaccount/NAME");
}
