import {
  Fault,
  invalidField,
  isName,
  matches,
  parseFieldSelector,
  parseLabelSelector,
  parseScope,
  type Resource,
  type Scope,
  type Term,
} from "@reeve/model";
import { listResources, readResource, shown, type Visible } from "@reeve/store";
import type { Context } from "../context.ts";
import { listVisibility, notFoundScope } from "../guard/authorise.ts";
import { scopeAddress } from "./apply.ts";
import type { Reader } from "./get.ts";
import { refuse } from "./mutate.ts";

export interface ListRequest {
  readonly kind: string;
  readonly scope: Scope;
  readonly deep: boolean;
  readonly labels: string;
  readonly fields: string;
}

export interface Page {
  readonly items: readonly Resource[];
  readonly revision: number;
  readonly continue?: string;
}

export interface Selection extends ListRequest {
  readonly visible: Visible;
  readonly labelTerms: readonly Term[];
  readonly fieldTerms: readonly Term[];
}

export async function list(
  context: Context,
  reader: Reader,
  request: ListRequest,
  limit: number,
  token: string | undefined,
): Promise<Page> {
  const selection = await select(context, reader, request);
  const from = token === undefined ? undefined : readContinue(token);
  const { items, revision } = await listResources(context.database, {
    kind: request.kind,
    opensScope: context.registry.byName(request.kind).opensScope === true,
    scope: request.scope,
    deep: request.deep,
    visible: selection.visible,
    labels: selection.labelTerms,
    fields: selection.fieldTerms,
    ...(from ? { after: { scope: from.s, name: from.n } } : {}),
    limit: limit + 1,
  });
  if (items.length === 0 && from === undefined) await checkScopeThere(context, request.scope);
  if (from !== undefined && from.r > revision) throw notAToken();
  const page = items.slice(0, limit);
  const last = page.at(-1);
  const first = from?.r ?? revision;
  return {
    items: page.map(shown),
    revision: first,
    ...(items.length > limit && last
      ? { continue: writeContinue({ r: first, s: last.metadata.scope, n: last.metadata.name }) }
      : {}),
  };
}

/** A misspelt scope must not look like an empty one. */
export async function checkScopeThere(context: Context, scope: Scope): Promise<void> {
  const at = scopeAddress(context, scope);
  if (at !== undefined && (await readResource(context.database, at)) === undefined)
    throw notFoundScope(scope);
}

/** Reads the selectors and what the caller may see; the same for a list and for a watch. */
export async function select(context: Context, reader: Reader, request: ListRequest): Promise<Selection> {
  const kind = context.registry.byName(request.kind);
  const labelTerms = parseLabelSelector(request.labels);
  const fieldTerms = parseFieldSelector(request.fields, kind.fields ?? []);
  try {
    const { visible, mine } = listVisibility(
      reader.caller,
      kind,
      request.scope,
      request.deep,
      context.controllers.get(kind.name),
    );
    const own =
      mine && reader.caller
        ? (context.controllers.get(kind.name)?.mine?.terms(reader.caller.subject) ?? [])
        : [];
    return { ...request, visible, labelTerms, fieldTerms: [...fieldTerms, ...own] };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return refuse(context, reader, "list", { kind: kind.name, scope: request.scope, name: "" }, error);
  }
}

interface ContinueToken {
  /** The revision of the first page. */
  readonly r: number;
  readonly s: string;
  readonly n: string;
}

function writeContinue(token: ContinueToken): string {
  return Buffer.from(JSON.stringify(token)).toString("base64url");
}

function readContinue(text: string): ContinueToken {
  try {
    const token = JSON.parse(Buffer.from(text, "base64url").toString()) as ContinueToken;
    const whole = Number.isSafeInteger(token.r) && token.r >= 0;
    if (whole && typeof token.n === "string" && isName(token.n) && parseScope(token.s) === token.s)
      return token;
  } catch {
    // Falls through to the one answer for every unreadable token.
  }
  throw notAToken();
}

function notAToken(): Fault {
  return invalidField("?continue", "this is not a token of a page before", "begin again without it");
}

/** Whether a resource is in a selection: the same rule as the SQL of a list, for changes that are watched. */
export function inSelection(
  selection: Selection,
  labels: Record<string, string>,
  fields: Record<string, string>,
): boolean {
  return matches(selection.labelTerms, labels) && matches(selection.fieldTerms, fields);
}
