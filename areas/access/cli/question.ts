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
  const as = subject === undefined ? undefined : await subjectOf(desk, subject);
  return (await desk.client()).canI({
    verb: synonyms[verb] ?? verb,
    ...(await matterOf(desk, what)),
    ...(as === undefined ? {} : { as }),
  });
}

async function matterOf(desk: Desk, what: string): Promise<Pick<Question, "kind" | "scope" | "name">> {
  // No kind of resource: rights over runs are held in a scope, any that can have workflows.
  if (what === "run" || what === "runs")
    return { kind: "runs", scope: await desk.scopeFor(await desk.kind("workflow")) };
  if (what.includes("/")) {
    const { kind, scope, name } = await desk.target(what);
    return { kind: kind.name, scope, name };
  }
  const kind = await desk.kind(what);
  return { kind: kind.name, scope: await desk.scopeFor(kind) };
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
