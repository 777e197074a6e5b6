import type { Resource } from "@reeve/model";
import { type Selection, selectionQuery } from "./selection.ts";
import type { Wire } from "./wire.ts";

export interface PageQuery extends Selection {
  /** Items in one page, 1 to 1000. */
  readonly limit?: number;
  /** From the page before. */
  readonly continue?: string;
  readonly signal?: AbortSignal;
}

export interface Page<R = Resource> {
  readonly items: readonly R[];
  /** Watch from here to miss nothing. */
  readonly revision: number;
  readonly continue?: string;
}

export async function fetchPage<R>(wire: Wire, path: string, query: PageQuery = {}): Promise<Page<R>> {
  const words = { ...selectionQuery(query), limit: query.limit, continue: query.continue };
  const { body } = await wire.send({ path, query: words, signal: query.signal });
  return body as Page<R>;
}

/** Every item, page by page, fetched as they are asked for. */
export async function* fetchAll<R>(wire: Wire, path: string, query: PageQuery = {}): AsyncGenerator<R, void> {
  let at = query.continue;
  do {
    const page = await fetchPage<R>(wire, path, at === undefined ? query : { ...query, continue: at });
    yield* page.items;
    at = page.continue || undefined;
  } while (at !== undefined);
}
