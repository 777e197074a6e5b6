import { sayWithheld } from "@reeve/access/cli";
import { showSubject } from "@reeve/model";
import { connect } from "@reeve/sdk";
import { defineVerb, flag, text, Usage } from "@reeve/sdk/cli";
import { readCa, sameServer } from "../contexts/connection.ts";
import { rememberSession } from "../contexts/remember.ts";
import { isOpenToReaders, readServerUrl } from "../contexts/server-url.ts";
import type { CliDesk } from "../desk.ts";
import { askCode } from "../prove-anew.ts";
import { walkToProvider } from "../provider-journey.ts";
import { userAgent } from "../version.ts";

export const login = defineVerb<CliDesk>()({
  name: "login",
  group: "access",
  summary: "Sign in to a server and keep that as a context",
  args: [{ name: "URL", optional: true }],
  options: {
    user: text("NAME", "Who to sign in as", { short: "u" }),
    passwordStdin: flag("Read the password from the first line of stdin, a code from the second"),
    provider: text("NAME", "Sign in at this identity provider, in a browser"),
    tokenStdin: flag("Read an API token from stdin instead"),
    ca: text("FILE", "Trust only certificates signed by this PEM file's", { completes: "file" }),
  },
  example: "reeve login https://reeve.example.com --ca ca.pem",
  async run(desk, { args, options }) {
    if (options.passwordStdin && options.tokenStdin)
      throw new Usage("stdin holds a password or a token, not both");
    const before = knownContext(desk, args[0]);
    const url = readServerUrl(
      args[0] ??
        before?.url ??
        (await desk.ask.text("Address of the server", { instead: "reeve login URL" })),
    );
    if (isOpenToReaders(url))
      desk.say(`warning: ${url} is not encrypted; anyone on the way can read your password`);
    const ca = options.ca === undefined ? before?.ca : readCa(options.ca);
    const client = connect({ url, userAgent, ...(ca === undefined ? {} : { ca }) });
    if (options.tokenStdin) {
      const token = (await desk.stdin()).trim();
      const { subject } = await connect({ url, token, ...(ca === undefined ? {} : { ca }) }).whoami();
      rememberSession(desk, { url, ca, session: { token, user: showSubject(subject) } });
      return 0;
    }
    if (options.provider !== undefined) {
      const handed = await walkToProvider(desk, url, options.provider);
      const session = await client.signInByProvider(handed, () => askCode(desk));
      rememberSession(desk, { url, ca, session });
      sayWithheld(desk, await client.whoami(), url);
      return 0;
    }
    const initial = before?.user === undefined ? {} : { initial: before.user };
    const user = options.user ?? (await desk.ask.text("User", { instead: "use --user NAME", ...initial }));
    const [given, code] = options.passwordStdin ? (await desk.stdin()).split(/\r?\n/) : [];
    const password = given ?? (await desk.ask.secret("Password", { instead: "use --password-stdin" }));
    const session = await client.signIn(user, password, async () => code || askCode(desk));
    rememberSession(desk, { url, ca, session: { ...session, user } });
    sayWithheld(desk, await client.whoami(), url);
    return 0;
  },
});

/** The context one would sign in to again: the one of that server, else the current one. */
function knownContext(desk: CliDesk, given: string | undefined) {
  const { current, contexts } = desk.contexts.read();
  const named = desk.flags.context ?? desk.environment.context;
  if (given === undefined) return contexts[named ?? current ?? ""];
  const url = readServerUrl(given);
  return Object.values(contexts).find((context) => sameServer(context.url, url));
}
