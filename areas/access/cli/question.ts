import type { Explanation, Question } from "@reeve/sdk";
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
  const as = subject === undefined ? undefined : await subjectOf(desk, subject);
  return (await desk.client()).canI({
    verb: synonyms[verb] ?? verb,
    kind: kind.name,
    scope: target?.scope ?? (await desk.scopeFor(kind)),
    ...(target === undefined ? {} : { name: target.name }),
    ...(as === undefined ? {} : { as }),
  });
}

/** `user/grace`, or `sa/acme/shop/ci`. The scope of the question is no word about where the subject lives. */
async function subjectOf(desk: Desk, word: string): Promise<NonNullable<Question["as"]>> {
  const [first = "", ...path] = word.split("/");
  const kind = await desk.kind(first);
  const name = path.pop();
  if (name === undefined || (kind.name !== "User" && kind.name !== "ServiceAccount"))
    throw new Usage(
      `${JSON.stringify(word)} is nobody who signs in`,
      "write user/NAME or serviceaccount/NAME",
    );
  return { kind: kind.name, name, ...(path.length === 0 ? {} : { scope: path.join("/") }) };
}
