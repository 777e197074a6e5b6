import { parseDuration } from "@reeve/model";
import { defineVerb, text, Usage } from "@reeve/sdk/cli";
import { Invitation } from "../kinds/index.ts";

export const invite = defineVerb()({
  name: "invite",
  group: "access",
  summary: "Invite somebody by e-mail address; the link alone goes to stdout, this once",
  args: [{ name: "EMAIL" }],
  options: {
    role: text("ROLE", "What they will hold in the scope; viewer when left out"),
    expires: text("DURATION", "When the link stops working, such as 12h or 3d; 7d when left out"),
    name: text("NAME", "The invitation's name; made from the address when left out"),
  },
  example: "reeve invite grace@example.com --role editor --scope acme",
  async run(desk, { args: [email = ""], options }) {
    const name = options.name ?? nameFrom(email);
    const expires = options.expires === undefined ? undefined : parseDuration(options.expires);
    const scope = await desk.scopeFor(Invitation);
    const invitations = (await desk.client()).kind(Invitation);
    await invitations.apply({
      metadata: { scope, name },
      spec: {
        email,
        role: options.role ?? "viewer",
        ...(expires === undefined ? {} : { expiresAt: new Date(Date.now() + expires).toISOString() }),
      },
    });
    const issued = await invitations.act<{ link: string; expiresAt: string }>(scope, name, "issue");
    if (await desk.data({ name, scope, ...issued })) return 0;
    desk.say(`give this link to ${email}; it works once, until ${issued.expiresAt}, and is not shown again:`);
    desk.out(`${issued.link}\n`);
    return 0;
  },
});

function nameFrom(email: string): string {
  const name = email
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-+|-+$/g, "")
    .slice(0, 63);
  if (name === "")
    throw new Usage(`${JSON.stringify(email)} is no address`, "reeve invite grace@example.com");
  return name;
}
