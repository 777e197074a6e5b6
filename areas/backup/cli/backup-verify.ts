import { defineVerb } from "@reeve/sdk/cli";
import { Backup } from "../kinds/index.ts";
import { follow } from "./follow.ts";

export const backupVerify = defineVerb()({
  name: "backup verify",
  group: "server",
  summary: "Verify a backup once more",
  args: [{ name: "NAME" }],
  example: "reeve backup verify before-the-upgrade",
  async run(desk, { args: [name = ""] }) {
    await (await desk.client()).kind(Backup).act("", name, "verify");
    return follow(desk, name);
  },
});
