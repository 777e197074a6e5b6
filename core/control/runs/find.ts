import {
  allows,
  type Caller,
  Fault,
  invalidField,
  type RunVerb,
  runPermission,
  type Scope,
} from "@reeve/model";
import { type RunRead, readRun, runsEndingIn } from "@reeve/store/runs";
import type { Context } from "../context.ts";
import { forbidden, unauthenticated } from "../guard/authorise.ts";
import type { Reader } from "../operations/get.ts";
import { heldScopes } from "../operations/held-scopes.ts";
import { refuse } from "../operations/mutate.ts";

const wholeId = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const idEnding = /^[0-9a-f-]{8,35}$/;

/** The run that is meant, by its id or the end of it, if the caller may do this to it; a refusal is recorded. */
export async function findRun(
  context: Context,
  reader: Reader,
  word: string,
  operation: string,
  verb: RunVerb,
): Promise<RunRead> {
  if (reader.caller === undefined)
    return refuse(context, reader, operation, runAddress("", word.slice(0, 100)), unauthenticated());
  const found = await named(context, reader.caller, word.toLowerCase());
  if (found === undefined) throw noRun(word);
  const fault = runRefusal(reader.caller, found.run.scope, verb, word);
  if (fault !== undefined)
    return refuse(context, reader, operation, runAddress(found.run.scope, found.run.id), fault);
  return found;
}

/** Rights over a run are those held in its scope; who may not read it hears that it is not there. */
export function runRefusal(
  caller: Caller | undefined,
  scope: Scope,
  verb: RunVerb,
  word: string,
): Fault | undefined {
  if (caller === undefined) return unauthenticated();
  if (!allows(caller.grants, runPermission("read"), scope)) return noRun(word);
  return allows(caller.grants, runPermission(verb), scope)
    ? undefined
    : forbidden(runPermission(verb), scope);
}

export function runAddress(scope: Scope, name: string) {
  return { kind: "Run", scope, name };
}

async function named({ database }: Context, caller: Caller, word: string): Promise<RunRead | undefined> {
  if (wholeId.test(word)) return readRun(database, word);
  if (!idEnding.test(word))
    throw invalidField("/id", "not a run", "write its id, or the last 8 or more characters of it");
  const ending = (await runsEndingIn(database, word)).filter(({ scope }) =>
    allows(caller.grants, runPermission("read"), scope),
  );
  if (ending.length > 1)
    throw invalidField("/id", `${ending.length} runs end in ${word}`, "write more characters of the id");
  return ending[0] && readRun(database, ending[0].id);
}

function noRun(word: string): Fault {
  return new Fault("not_found", `there is no run ${word.slice(0, 100)}`, {
    next: "`reeve runs` lists them; what you may not read is not shown either",
  });
}

/** The scopes at or below the one asked for in which the caller may do this to runs; a refusal is recorded when there are none. */
export function runScopes(
  context: Context,
  reader: Reader,
  operation: string,
  verb: RunVerb,
  scope: Scope | undefined,
): Promise<Scope[]> {
  return heldScopes(context, reader, { operation, permission: runPermission(verb), kind: "Run", scope });
}
