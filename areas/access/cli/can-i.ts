import { defineVerb, text } from "@reeve/sdk/cli";
import { ask } from "./question.ts";

export const canI = defineVerb()({
  name: "auth can-i",
  group: "access",
  summary: "Tell whether you, or another, may do something; exit 1 when not",
  args: [
    { name: "VERB", completes: ["read", "create", "update", "delete"] },
    { name: "KIND[/NAME]", completes: "target" },
  ],
  options: {
    as: text("SUBJECT", "user/NAME or serviceaccount/NAME; an owner may ask for others", {
      completes: "target",
    }),
  },
  example:
    "reeve auth can-i create projects --scope acme\nreeve auth can-i delete project/shop --as user/grace\nreeve auth can-i cancel runs --scope acme/shop",
  async run(desk, { args: [verb = "", what = ""], options }) {
    const answer = await ask(desk, options.as, verb, what);
    if (!(await desk.data(answer))) {
      desk.out(answer.allowed ? "yes\n" : "no\n");
      desk.say(answer.why);
    }
    return answer.allowed ? 0 : 1;
  },
});
