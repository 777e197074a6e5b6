import { showScope } from "@reeve/model";
import { defineVerb } from "@reeve/sdk/cli";
import { ask } from "./question.ts";

export const authWhy = defineVerb()({
  name: "auth why",
  group: "access",
  summary: "Explain why somebody may do something, or what would let them",
  args: [
    { name: "SUBJECT", completes: "target" },
    { name: "VERB", completes: ["read", "create", "update", "delete"] },
    { name: "KIND[/NAME]", completes: "target" },
  ],
  example: "reeve auth why user/grace update project/shop",
  async run(desk, { args: [subject = "", verb = "", what = ""] }) {
    const answer = await ask(desk, subject, verb, what);
    if (await desk.data(answer)) return 0;
    const { allowed, permission, scope, chain, wouldGive } = answer;
    const matter = `${permission} in ${showScope(scope)}`;
    desk.out(`${answer.subject} ${allowed ? "may" : "may not"} ${matter}: ${answer.why}\n`);
    if (chain.length > 0)
      desk.table(
        ["Role", "Group", "Binding", "Given by"],
        chain.map((link) => [link.role, link.group ?? "-", link.binding, link.by ?? "-"]),
      );
    if (!allowed)
      desk.out(`bound in ${showScope(scope)} or above, these roles would give it: ${wouldGive.join(", ")}\n`);
    return 0;
  },
});
