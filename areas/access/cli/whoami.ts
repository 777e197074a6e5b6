import { showScope, showSubject } from "@reeve/model";
import { defineVerb } from "@reeve/sdk/cli";
import { sayWithheld } from "./say-withheld.ts";

export const whoami = defineVerb()({
  name: "auth whoami",
  group: "access",
  summary: "Show who you are to the server, and your roles",
  example: "reeve auth whoami",
  async run(desk) {
    const me = await (await desk.client()).whoami();
    if (await desk.data(me)) return 0;
    const via = typeof me.via === "string" ? me.via : me.via.kind;
    desk.out(`${showSubject(me.subject)} (by ${via})\n`);
    if (me.grants.length > 0)
      desk.table(
        ["Role", "Scope", "Binding", "Group"],
        me.grants.map(({ role, scope, binding, group }) => [role, showScope(scope), binding, group ?? "-"]),
      );
    else if (me.withheld.length === 0)
      desk.say("you hold no role anywhere yet; an owner can bind one to you");
    sayWithheld(desk, me);
    return 0;
  },
});
