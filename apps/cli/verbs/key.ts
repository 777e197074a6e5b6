import { defineVerb, Usage } from "@reeve/sdk/cli";
import type { CliDesk } from "../desk.ts";
import { age } from "../output/age.ts";

const levels = ["root", "scope"] as const;

const list = defineVerb<CliDesk>()({
  name: "key list",
  group: "server",
  summary: "The keys that close what is sealed, and how much each still closes",
  example: "reeve key list",
  async run(desk) {
    const items = await (await desk.client()).listKeys();
    if (await desk.data({ items })) return 0;
    desk.table(
      ["id", "of", "state", "age", "holds"],
      items.map((key) => [
        key.id,
        key.level === "root" ? "root" : key.organization || "the installation",
        key.state,
        age(key.since),
        `${key.holds} ${key.level === "root" ? "keys" : "values"}`,
      ]),
    );
    return 0;
  },
});

const rotate = defineVerb<CliDesk>()({
  name: "key rotate",
  group: "server",
  summary:
    "Replace the root key, or the scope keys (-s for one organization's); what they close follows while running",
  args: [{ name: "LEVEL", completes: levels }],
  example: "reeve key rotate root\nreeve key rotate scope -s acme",
  async run(desk, { args: [word] }) {
    const level = levels.find((one) => one === word);
    if (level === undefined)
      throw new Usage(`there are no keys ${JSON.stringify(word)}`, `one of ${levels.join(", ")}`);
    const { scope } = desk.flags;
    if (level === "root" && scope !== undefined)
      throw new Usage("the root key is the same for all scopes", "leave -s out");
    const retired = await (await desk.client()).rotateKeys(level, scope);
    if (await desk.data({ retired })) return 0;
    desk.say(`${retired.length} retired; \`reeve key list\` shows how much they still hold`);
    return 0;
  },
});

const remove = defineVerb<CliDesk>()({
  name: "key delete",
  group: "server",
  summary: "Forget a retired key; refused while it closes anything",
  args: [{ name: "ID" }],
  example: "reeve key delete local-0f5c2d1e9ab348c07d6e",
  async run(desk, { args: [id = ""] }) {
    await (await desk.client()).deleteKey(id);
    desk.say(`key ${id} is forgotten`);
    return 0;
  },
});

export const keyVerbs = [list, rotate, remove];
