import { showAddress } from "@reeve/model";
import { defineVerb } from "@reeve/sdk/cli";
import type { CliDesk } from "../desk.ts";
import { age, until } from "../output/age.ts";
import { holdText } from "../output/holds.ts";
import { printable } from "../output/width.ts";
import { targetArgs } from "../target-args.ts";

export const why = defineVerb<CliDesk>()({
  name: "why",
  group: "read",
  summary: "Say how a resource stands and what it waits for",
  args: targetArgs,
  example: "reeve why project/shop",
  async run(desk, { args: [word = "", path] }) {
    const { kind, scope, name } = await desk.target(word, path);
    const answer = await (await desk.client()).kind(kind).why(scope, name);
    if (await desk.data(answer)) return 0;
    const { look, holds, usedBy, owned } = answer;
    const lines = [
      ...(look === null ? ["never looked at"] : [`${look.outcome}: ${look.why}`]),
      ...(look?.lookedAt
        ? [`looked ${age(look.lookedAt)} ago${look.replica ? ` by ${look.replica}` : ""}`]
        : []),
      ...(look?.nextAt ? [`looks again ${until(look.nextAt)}`] : []),
      ...(look && look.failures > 1 ? [`failed ${look.failures} times in a row`] : []),
      ...holds.map((hold) => `held by ${holdText(hold)}`),
      ...owned.map((at) => `owns ${showAddress(at)}`),
      ...usedBy.map(({ pointer, ...at }) => `used by ${showAddress(at)} at ${pointer}`),
    ];
    desk.out(lines.map((line) => `${printable(line)}\n`).join(""));
    return 0;
  },
});
