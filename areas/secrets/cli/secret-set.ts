import { Fault } from "@reeve/model";
import { defineVerb, flag, text, texts, Usage } from "@reeve/sdk/cli";
import { Secret } from "../kinds/index.ts";
import { readEnvFile, readPairs } from "./read-pairs.ts";

export const secretSet = defineVerb()({
  name: "secret set",
  group: "change",
  summary: "Set values of a secret, as a new version; makes the secret if need be",
  args: [{ name: "NAME" }, { name: "KEY[=VALUE|=@FILE|=-]", optional: true, many: true }],
  options: {
    envFile: text("FILE", "Set a key for each NAME=VALUE in a file such as .env", { completes: "file" }),
    remove: texts("KEY", "Remove a key"),
    replace: flag("Forget all keys that are not given"),
    reason: text("TEXT", "Why, for the audit"),
  },
  example:
    "reeve secret set database password\nreeve secret set tls tls.crt=@server.crt tls.key=@server.key\nreeve secret set shop --env-file .env",
  async run(desk, { args: [path = "", ...words], options }) {
    const { envFile } = options;
    if (words.length === 0 && envFile === undefined && options.remove.length === 0 && !options.replace)
      throw new Usage("say which keys to set", "reeve secret set NAME KEY=@FILE, or KEY alone to be asked");
    const { scope, name } = await desk.target(Secret.plural, path);
    const removed = options.remove.map((key): [string, null] => [key, null]);
    const filed = envFile === undefined ? {} : readEnvFile(envFile);
    const values = { ...filed, ...(await readPairs(desk, words)), ...Object.fromEntries(removed) };
    const secrets = (await desk.client()).kind(Secret);
    const reason = options.reason === undefined ? {} : { reason: options.reason };
    const set = () =>
      secrets.act<{ version: number; keys: string[] }>(
        scope,
        name,
        "set",
        { values, replace: options.replace },
        reason,
      );
    const answer = await set().catch(async (error: unknown) => {
      if (!(error instanceof Fault) || error.kind !== "not_found") throw error;
      await secrets.create({ metadata: { scope, name }, spec: {} }, reason);
      desk.say(`secret ${name} made`);
      return set();
    });
    if (await desk.data(answer)) return 0;
    desk.say(
      `secret ${name} is now at version ${answer.version}, with ${answer.keys.join(", ") || "no keys"}`,
    );
    return 0;
  },
});
