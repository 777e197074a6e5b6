import { defineVerb } from "@reeve/sdk/cli";

/** Words of other tools for our four verbs. */
const synonyms: Readonly<Record<string, string>> = {
  get: "read",
  list: "read",
  watch: "read",
  describe: "read",
  patch: "update",
  edit: "update",
};

export const canI = defineVerb()({
  name: "auth can-i",
  group: "access",
  summary: "Tell whether you may do something; exit 1 when not",
  args: [
    { name: "VERB", completes: ["read", "create", "update", "delete"] },
    { name: "KIND[/NAME]", completes: "target" },
  ],
  example: "reeve auth can-i create projects --scope acme",
  async run(desk, { args: [word = "", what = ""] }) {
    const named = what.includes("/");
    const target = named ? await desk.target(what) : undefined;
    const kind = target?.kind ?? (await desk.kind(what));
    const answer = await (await desk.client()).canI({
      verb: synonyms[word] ?? word,
      kind: kind.name,
      scope: target?.scope ?? (await desk.scopeFor(kind)),
      ...(target === undefined ? {} : { name: target.name }),
    });
    if (!(await desk.data(answer))) {
      desk.out(answer.allowed ? "yes\n" : "no\n");
      if (answer.why) desk.say(answer.why);
    }
    return answer.allowed ? 0 : 1;
  },
});
