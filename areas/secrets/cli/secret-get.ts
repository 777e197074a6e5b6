import { showAddress } from "@reeve/model";
import { defineVerb } from "@reeve/sdk/cli";
import { missingKeys, Secret } from "../kinds/index.ts";

export const secretGet = defineVerb()({
  name: "secret get",
  group: "read",
  summary: "Show the keys of a secret and what uses it, never its values",
  args: [{ name: "NAME" }],
  example: "reeve secret get database",
  async run(desk, { args: [path = ""] }) {
    const { scope, name } = await desk.target(Secret.plural, path);
    const secrets = (await desk.client()).kind(Secret);
    const [secret, { usedBy }] = await Promise.all([secrets.get(scope, name), secrets.why(scope, name)]);
    const { version, keys = [] } = secret.status;
    if (await desk.data({ scope, name, version, keys, missing: missingKeys(secret), usedBy })) return 0;
    const described = (key: string) => secret.spec.keys?.[key]?.description ?? "";
    const rows = [
      ...keys.map((key) => [key, "set", described(key)]),
      ...missingKeys(secret).map((key) => [key, "missing", described(key)]),
    ];
    if (rows.length > 0) desk.table(["Key", "State", "Description"], rows);
    else desk.say(`no values yet; set one with: reeve secret set ${path} KEY`);
    for (const { pointer, ...at } of usedBy) desk.say(`used by ${showAddress(at)} at ${pointer}`);
    return 0;
  },
});
