import { defineVerb } from "@reeve/sdk/cli";
import { Backup } from "../kinds/index.ts";

export const backupDelete = defineVerb()({
  name: "backup delete",
  group: "server",
  summary: "Delete a backup, with its copy in the storage",
  args: [{ name: "NAME" }],
  example: "reeve backup delete before-the-upgrade",
  async run(desk, { args: [name = ""] }) {
    const { gone } = await (await desk.client()).kind(Backup).delete("", name);
    desk.say(gone ? `backup ${name} is deleted` : `backup ${name} is being deleted`);
    return 0;
  },
});
