import type { Explanation } from "@reeve/sdk";
import { type Desk, Usage } from "@reeve/sdk/cli";

/** Words of other tools for our four verbs. */
const synonyms: Readonly<Record<string, string>> = {
  get: "read",
  list: "read",
  watch: "read",
  describe: "read",
  patch: "update",
  edit: "update",
};

/** Asks the server whether somebody may do something; without a subject, whether one may oneself. */
export async function ask(
  desk: Desk,
  subject: string | undefined,
  verb: string,
  what: string,
): Promise<Explanation> {
  const target = what.includes("/") ? await desk.target(what) : undefined;
  const kind = target?.kind ?? (await desk.kind(what));
  const as = subject === undefined ? undefined : await desk.target(subject);
  if (as !== undefined && as.kind.name !== "User" && as.kind.name !== "ServiceAccount")
    throw new Usage(`a ${as.kind.name} does nothing by itself`, "write user/NAME or serviceaccount/NAME");
  return (await desk.client()).canI({
    verb: synonyms[verb] ?? verb,
    kind: kind.name,
    scope: target?.scope ?? (await desk.scopeFor(kind)),
    ...(target === undefined ? {} : { name: target.name }),
    ...(as === undefined
      ? {}
      : { as: { kind: as.kind.name, name: as.name, ...(as.scope === "" ? {} : { scope: as.scope }) } }),
  });
}
