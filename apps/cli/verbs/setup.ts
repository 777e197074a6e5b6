import { connect } from "@reeve/sdk";
import { defineVerb, flag, text, Usage } from "@reeve/sdk/cli";
import { readCa } from "../contexts/connection.ts";
import { rememberSession } from "../contexts/remember.ts";
import { readSetupLink } from "../contexts/server-url.ts";
import type { CliDesk } from "../desk.ts";
import { userAgent } from "../version.ts";

const instead = "use --user NAME --password-stdin [--organization NAME]";

export const setup = defineVerb<CliDesk>()({
  name: "setup",
  group: "access",
  summary: "Become a new server's first administrator",
  args: [{ name: "LINK" }],
  options: {
    user: text("NAME", "Your user name", { short: "u" }),
    displayName: text("TEXT", "The name people read"),
    passwordStdin: flag("Read the password from stdin"),
    organization: text("NAME", "Make a first organization"),
    ca: text("FILE", "Trust only certificates signed by this PEM file's", { completes: "file" }),
  },
  example: "reeve setup 'http://127.0.0.1:8080/setup#…'",
  async run(desk, { args: [link = ""], options }) {
    const { url, token } = readSetupLink(link);
    const ca = options.ca === undefined ? undefined : readCa(options.ca);
    const user = options.user ?? (await desk.ask.text("Your user name", { instead }));
    const password = options.passwordStdin
      ? (await desk.stdin()).replace(/\r?\n$/, "")
      : await askTwice(desk);
    const organization =
      options.organization ??
      (options.passwordStdin
        ? ""
        : await desk.ask.text("First organization (empty for none)", { instead, optional: true }));
    const session = await connect({ url, userAgent, ...(ca === undefined ? {} : { ca }) }).setup({
      token,
      user,
      password,
      ...(options.displayName === undefined ? {} : { displayName: options.displayName }),
      ...(organization === "" ? {} : { organization }),
    });
    const scope = organization === "" ? {} : { scope: organization };
    rememberSession(desk, { url, ca, session: { ...session, user }, ...scope });
    desk.say("next: reeve explain workflow shows what can be run, reeve explain project where it lives");
    return 0;
  },
});

async function askTwice(desk: CliDesk): Promise<string> {
  const password = await desk.ask.secret("Password, at least 12 characters", { instead });
  const again = await desk.ask.secret("The same again", { instead });
  if (password !== again) throw new Usage("the two passwords differ", "run it again");
  return password;
}
