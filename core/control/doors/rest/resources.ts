import { apiVersion, Fault, isObject, readInput } from "@reeve/model";
import { type Address, readResource, type Written } from "@reeve/store";
import type { FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import type { Context } from "../../context.ts";
import { act } from "../../operations/act.ts";
import { patch, rollback } from "../../operations/amend.ts";
import { apply } from "../../operations/apply.ts";
import { difference } from "../../operations/difference.ts";
import { events, get, history, why } from "../../operations/get.ts";
import { list } from "../../operations/list.ts";
import { leftBehind, remove } from "../../operations/remove.ts";
import type { Arrival } from "../gate.ts";
import { nothingHere, readTarget, type Target } from "./address.ts";
import { askingOf, checkQuery, flag, listRequest, type Query, text, whole } from "./query.ts";
import { watchRoute } from "./watch-route.ts";

export interface RestRequest {
  readonly context: Context;
  readonly arrival: Arrival;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** Every operation on every kind: the path says which. */
export async function resourceRoute(rest: RestRequest): Promise<unknown> {
  const { method } = rest.request;
  const deep = method === "GET" && flag(rest.request.query as Query, "deep");
  const path = (rest.request.params as { "*": string })["*"];
  const target = readTarget(path, rest.context.registry, deep);
  // Nothing in an address needs encoding; an encoded slash or dot would be a second spelling of another address.
  if (rest.request.url.split("?")[0] !== `/api/v1/${path}`) throw nothingHere(path);
  const handler =
    target.name === undefined
      ? collection[method]
      : target.sub === undefined
        ? item[method]
        : sub[`${method} ${target.sub}`];
  if (handler === undefined)
    throw new Fault("not_found", `${method} is not possible here`, { next: "/docs describes every address" });
  return handler(rest, target);
}

type Handler = (rest: RestRequest, target: Target) => Promise<unknown>;

const collection: Partial<Record<string, Handler>> = {
  async GET(rest, target) {
    const query = rest.request.query as Query;
    const watching = flag(query, "watch");
    checkQuery(query, watching ? "watch" : "list");
    if (watching) return watchRoute(rest, target, query);
    const page = await list(
      rest.context,
      rest.arrival,
      listRequest(target, query),
      whole(query, "limit", 1, 1000) ?? 100,
      text(query, "continue"),
    );
    return { apiVersion, kind: "List", ...page };
  },
  async POST(rest, target) {
    checkQuery(rest.request.query as Query, "mutation");
    const asking = { ...askingFor(rest), ifNoneMatch: true };
    return answer(rest, await apply(rest.context, asking, placed(rest.request.body, target), "create"));
  },
};

const item: Partial<Record<string, Handler>> = {
  async GET(rest, target) {
    checkQuery(rest.request.query as Query, "none");
    const resource = await get(rest.context, rest.arrival, addressOf(target));
    rest.reply.header("etag", `"${resource.metadata.revision}"`);
    return resource;
  },
  async PUT(rest, target) {
    checkQuery(rest.request.query as Query, "mutation");
    return answer(rest, await apply(rest.context, askingFor(rest), placed(rest.request.body, target)));
  },
  async PATCH(rest, target) {
    checkQuery(rest.request.query as Query, "mutation");
    return answer(rest, await patch(rest.context, askingFor(rest), addressOf(target), rest.request.body));
  },
  async DELETE(rest, target) {
    const query = rest.request.query as Query;
    checkQuery(query, "removal");
    const force = flag(query, "force");
    // Only told once the deletion was allowed. Not there any more: a repeat, which gets its first answer.
    const before = force ? await readResource(rest.context.database, addressOf(target)) : undefined;
    const written = await remove(rest.context, askingFor(rest), addressOf(target), force);
    if (written.outcome !== "deleted") rest.reply.code(202);
    rest.reply.header("reeve-outcome", written.outcome === "deleted" ? "deleted" : "deleting");
    if (before !== undefined) rest.reply.header("reeve-left-behind", leftBehind(before).join(", "));
    return written.resource;
  },
};

const generationInput = z.strictObject({ generation: z.int().min(1) });

const sub: Partial<Record<string, Handler>> = {
  async "POST diff"(rest, target) {
    checkQuery(rest.request.query as Query, "none");
    return difference(rest.context, askingFor(rest), placed(rest.request.body, target));
  },
  async "GET history"(rest, target) {
    const query = rest.request.query as Query;
    checkQuery(query, "history");
    const before = whole(query, "before", 1, Number.MAX_SAFE_INTEGER);
    return {
      items: await history(
        rest.context,
        rest.arrival,
        addressOf(target),
        before,
        whole(query, "limit", 1, 1000) ?? 50,
      ),
    };
  },
  async "POST rollback"(rest, target) {
    checkQuery(rest.request.query as Query, "mutation");
    const { generation } = readInput(generationInput, rest.request.body);
    return answer(rest, await rollback(rest.context, askingFor(rest), addressOf(target), generation));
  },
  async "GET events"(rest, target) {
    checkQuery(rest.request.query as Query, "none");
    return { items: await events(rest.context, rest.arrival, addressOf(target), 100) };
  },
  async "GET why"(rest, target) {
    checkQuery(rest.request.query as Query, "none");
    return why(rest.context, rest.arrival, addressOf(target));
  },
  async "POST actions"(rest, target) {
    checkQuery(rest.request.query as Query, "mutation");
    const { output } = await act(
      rest.context,
      askingFor(rest),
      addressOf(target),
      target.action as string,
      rest.request.body,
    );
    return output;
  },
};

function answer({ reply }: RestRequest, written: Written): unknown {
  reply.header("reeve-outcome", written.outcome);
  if (written.outcome === "created") reply.code(201);
  if (written.resource) reply.header("etag", `"${written.resource.metadata.revision}"`);
  return written.resource;
}

export function askingFor({ arrival, request }: RestRequest) {
  return askingOf(arrival, {
    method: request.method,
    url: request.url,
    rawBody: request.rawText ?? "",
    headers: request.headers,
    query: request.query as Query,
  });
}

/** The address says where a resource lives; a body that says otherwise is a mistake, one that says nothing is completed. */
function placed(body: unknown, target: Target): unknown {
  if (!isObject(body))
    throw new Fault("invalid", "the body is not a resource", {
      errors: [{ pointer: "", message: "expected an object with apiVersion, kind, metadata and spec" }],
    });
  const metadata = isObject(body.metadata) ? body.metadata : {};
  const expected = {
    kind: target.kind.name,
    scope: target.scope,
    ...(target.name === undefined ? {} : { name: target.name }),
  };
  const found = { kind: body.kind, scope: metadata.scope, name: metadata.name };
  for (const [field, value] of Object.entries(expected)) {
    const given = found[field as keyof typeof found];
    if (given === undefined || given === value) continue;
    const pointer = field === "kind" ? "/kind" : `/metadata/${field}`;
    throw new Fault(
      "invalid",
      `${pointer}: the address says ${JSON.stringify(value)}, the body ${typeof given === "object" ? "something else" : JSON.stringify(given).slice(0, 100)}`,
      {
        errors: [{ pointer, message: `expected ${JSON.stringify(value)}` }],
      },
    );
  }
  return { apiVersion, ...body, kind: expected.kind, metadata: { ...metadata, ...withoutKind(expected) } };
}

function withoutKind({
  kind: _,
  ...rest
}: {
  kind: string;
  scope: string;
  name?: string;
}): Record<string, string> {
  return rest as Record<string, string>;
}

function addressOf(target: Target): Address {
  return { kind: target.kind.name, scope: target.scope, name: target.name as string };
}
