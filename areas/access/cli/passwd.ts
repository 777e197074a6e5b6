import { type Desk, defineVerb, flag, Usage } from "@reeve/sdk/cli";
import { User } from "../kinds/index.ts";

const instead =
  "use --password-stdin: the new password on the first line, for your own the current one on the second";

export const passwd = defineVerb()({
  name: "passwd",
  group: "access",
  summary: "Set your password, or as an owner another's",
  args: [{ name: "USER", optional: true }],
  options: {
    passwordStdin: flag(
      "New password on the first line of stdin, for your own the current one on the second",
    ),
  },
  example: "reeve passwd",
  async run(desk, { args: [given], options }) {
    const client = await desk.client();
    const { subject } = await client.whoami();
    if (given === undefined && subject.kind !== "User")
      throw new Usage("you are no user", "reeve passwd USER");
    const user = given ?? subject.name;
    const own = subject.kind === "User" && subject.name === user;
    const input = options.passwordStdin ? readLines(await desk.stdin()) : await askFor(desk, user, own);
    const { sessionsEnded } = await client
      .kind(User)
      .act<{ sessionsEnded: number }>("", user, "set-password", input);
    desk.say(`password of ${user} set; ${sessionsEnded} other sessions ended`);
    return 0;
  },
});

interface Passwords {
  readonly password: string;
  readonly current?: string;
}

function readLines(text: string): Passwords {
  const [password = "", current = ""] = text.split(/\r?\n/);
  return { password, ...(current === "" ? {} : { current }) };
}

async function askFor(desk: Desk, user: string, own: boolean): Promise<Passwords> {
  const current = own ? await desk.ask.secret("Current password", { instead }) : undefined;
  const password = await desk.ask.secret(`New password of ${user}, at least 12 characters`, { instead });
  const again = await desk.ask.secret("The same again", { instead });
  if (password !== again) throw new Usage("the two passwords differ", "run it again");
  return { password, ...(current === undefined ? {} : { current }) };
}
