import { defineVerb } from "@reeve/sdk/cli";
import { Secret } from "../kinds/index.ts";

export const secretVersions = defineVerb()({
  name: "secret versions",
  group: "read",
  summary: "List the versions of a secret: who set which keys, and when",
  args: [{ name: "NAME" }],
  example: "reeve secret versions database",
  async run(desk, { args: [path = ""] }) {
    const { scope, name } = await desk.target(Secret.plural, path);
    const { status } = await (await desk.client()).kind(Secret).get(scope, name);
    const versions = status.versions ?? [];
    if (await desk.data(versions)) return 0;
    if (versions.length === 0) desk.say(`no values yet; set one with: reeve secret set ${path} KEY`);
    else
      desk.table(
        ["Version", "Set", "By", "Keys"],
        versions.map(({ version, at, by, keys, from }) => [
          from === undefined ? String(version) : `${version} (as ${from})`,
          at,
          by,
          keys.join(", "),
        ]),
      );
    return 0;
  },
});
