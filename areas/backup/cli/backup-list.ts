import type { ResourceOf } from "@reeve/model";
import { defineVerb } from "@reeve/sdk/cli";
import { Backup } from "../kinds/index.ts";

export const backupList = defineVerb()({
  name: "backup list",
  group: "server",
  summary: "List the backups, and how they were verified",
  example: "reeve backup list",
  async run(desk) {
    const backups: ResourceOf<typeof Backup>[] = [];
    for await (const one of (await desk.client()).kind(Backup).list("")) backups.push(one);
    if (backups.length === 0 && desk.flags.output === undefined)
      desk.say("no backups; make one with: reeve backup create");
    else await desk.print(Backup, backups);
    return 0;
  },
});
