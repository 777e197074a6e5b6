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
    const { kind, narrowed } = typeof me.via === "string" ? { kind: me.via, narrowed: undefined } : me.via;
    const within = narrowed?.within === undefined ? "" : ` within ${narrowed.within}`;
    desk.out(`${showSubject(me.subject)} (by ${kind}${within})\n`);
    if (me.grants.length > 0)
      desk.table(
        ["Role", "Scope", "Binding", "Group"],
        me.grants.map(({ role, scope, binding, group }) => [role, showScope(scope), binding, group ?? "-"]),
      );
    else if (narrowed !== undefined)
      desk.say("what this token was made for leaves nothing of what its subject may");
    else if (me.withheld.length === 0)
      desk.say("you hold no role anywhere yet; an owner can bind one to you");
    if (narrowed?.allows !== undefined) desk.say(`this token allows only ${narrowed.allows.join(", ")}`);
    sayWithheld(desk, me);
    return 0;
  },
});
