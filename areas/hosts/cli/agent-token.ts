import { randomBytes } from "node:crypto";
import { parseDuration } from "@reeve/model";
import { defineVerb, flag, text, texts, Usage } from "@reeve/sdk/cli";
import { JoinToken } from "../kinds/index.ts";

export const agentToken = defineVerb()({
  name: "agent token",
  group: "change",
  summary: "Make a token that a new agent joins with; it alone goes to stdout, this once",
  args: [{ name: "NAME", optional: true }],
  options: {
    uses: text("NUMBER", "How many hosts may join with it; 1 when left out"),
    expires: text("DURATION", "When it stops working, such as 10m or 2d; 1h when left out"),
    hosts: text("PATTERN", "The names they may join under, such as build-*"),
    label: texts("KEY=VALUE", "A label that they get; may be given several times"),
    replace: flag("It may take the place of a host of the same name, such as one whose disk was wiped"),
  },
  example: "reeve agent token --hosts 'build-*' --uses 10 --label pool=build",
  async run(desk, { args: [given], options }) {
    const name = given ?? `join-${randomBytes(4).toString("hex")}`;
    const scope = await desk.scopeFor(JoinToken);
    const tokens = (await desk.client()).kind(JoinToken);
    const { uses, expires, hosts, label, replace } = options;
    await tokens.create({
      metadata: { scope, name },
      spec: {
        uses: uses === undefined ? 1 : Number(uses),
        ...(expires === undefined
          ? {}
          : { expiresAt: new Date(Date.now() + parseDuration(expires)).toISOString() }),
        ...(hosts === undefined ? {} : { hosts }),
        ...(label.length === 0 ? {} : { labels: Object.fromEntries(label.map(readLabel)) }),
        ...(replace ? { replace } : {}),
      },
    });
    const issued = await tokens
      .act<{ token: string; expiresAt: string }>(scope, name, "issue")
      .catch(async (error) => {
        // A token without a text is of no use to anyone, and would take the name.
        await tokens.delete(scope, name).catch(() => undefined);
        throw error;
      });
    if (await desk.data({ name, scope, ...issued })) return 0;
    const times = uses === undefined || uses === "1" ? "once" : `${uses} times`;
    desk.say(`works ${times}, until ${issued.expiresAt}, and is not shown again:`);
    desk.out(`${issued.token}\n`);
    return 0;
  },
});

function readLabel(word: string): [string, string] {
  const at = word.indexOf("=");
  if (at < 1)
    throw new Usage(`${JSON.stringify(word)} is not KEY=VALUE`, "reeve agent token --label pool=build");
  return [word.slice(0, at), word.slice(at + 1)];
}
