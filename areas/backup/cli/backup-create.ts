import { defineVerb, flag, text } from "@reeve/sdk/cli";
import { Backup } from "../kinds/index.ts";
import { follow } from "./follow.ts";

export const backupCreate = defineVerb()({
  name: "backup create",
  group: "server",
  summary: "Back the installation up now, and verify the backup",
  args: [{ name: "NAME", optional: true }],
  options: {
    description: text("TEXT", "Why, for people"),
    noWait: flag("Return at once; reeve backup list shows how it goes"),
  },
  example: "reeve backup create before-the-upgrade",
  async run(desk, { args: [given], options }) {
    const name = given ?? nameOfNow();
    const { description } = options;
    const backups = (await desk.client()).kind(Backup);
    await backups.create({
      metadata: { scope: "", name },
      spec: description === undefined ? {} : { description },
    });
    if (!options.noWait) return follow(desk, name);
    desk.say(`backup ${name} was asked for`);
    return 0;
  },
});

/** 2026-11-15-120405, in UTC. */
function nameOfNow(): string {
  return new Date().toISOString().slice(0, 19).replace("T", "-").replaceAll(":", "");
}
