import { createHash } from "node:crypto";
import { type DescMessage, type MessageShape, toJson } from "@bufbuild/protobuf";
import { checkLevel, invalidField, isName, nameRule, parseScope, type Registry } from "@reeve/model";
import type * as wire from "@reeve/protocol";
import type { Address } from "@reeve/store";
import type { Asking } from "../../context.ts";
import type { ListRequest } from "../../operations/list.ts";
import type { Arrival } from "../gate.ts";

export function readAddress(registry: Registry, address: wire.Address | undefined): Address {
  if (address === undefined)
    throw invalidField("/address", "missing", "say which resource: kind, scope and name");
  const kind = registry.byName(address.kind);
  const scope = parseScope(address.scope);
  checkLevel(kind, scope);
  if (!isName(address.name)) throw invalidField("/address/name", `not a valid name: ${nameRule}`);
  return { kind: kind.name, scope, name: address.name };
}

export function readSelection(registry: Registry, selection: wire.Selection | undefined): ListRequest {
  if (selection === undefined) throw invalidField("/selection", "missing", "say at least which kind");
  const { labels, fields, deep } = selection;
  const kind = registry.byName(selection.kind);
  const scope = parseScope(selection.scope);
  if (!deep) checkLevel(kind, scope);
  return {
    kind: kind.name,
    scope,
    deep,
    labels: plain("/selection/labels", labels),
    fields: plain("/selection/fields", fields),
  };
}

/** 0 means: not given. */
export function readLimit(limit: number, usual: number): number {
  if (limit > 1000) throw invalidField("/limit", "write a whole number from 1 to 1000");
  return limit === 0 ? usual : limit;
}

/** A revision or generation; they stay far below 2^53. */
export function readWhole(pointer: string, value: bigint, least: number): number {
  const number = Number(value);
  if (Number.isSafeInteger(number) && number >= least) return number;
  throw invalidField(pointer, `write a whole number, at least ${least}`);
}

/** The conditions of a change; the message they came in is what a repeat is recognised by. */
export function readAsking<Desc extends DescMessage>(
  { caller, origin }: Arrival,
  schema: Desc,
  request: MessageShape<Desc> & { options?: wire.WriteOptions | undefined },
): Asking {
  const { ifMatch, ifNoneMatch, dryRun, reason = "", idempotencyKey: key } = request.options ?? {};
  if (reason.length > 500) throw invalidField("/options/reason", "use at most 500 characters");
  if (key && !/^[\x21-\x7e]{1,200}$/.test(key))
    throw invalidField("/options/idempotencyKey", "use 1 to 200 printable characters without spaces");
  return {
    caller,
    origin,
    reason: plain("/options/reason", reason),
    dryRun: dryRun === true,
    ...(ifMatch === undefined ? {} : { ifMatch: readWhole("/options/ifMatch", ifMatch, 0) }),
    ...(ifNoneMatch ? { ifNoneMatch } : {}),
    ...(key ? { idempotency: { key, fingerprint: fingerprint(schema, request) } } : {}),
  };
}

/** Clients in other languages send maps in any order, so a repeat is compared with its keys sorted. */
function fingerprint<Desc extends DescMessage>(schema: Desc, request: MessageShape<Desc>): string {
  const text = JSON.stringify(toJson(schema, request), (_, value: unknown) =>
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );
  return createHash("sha256").update(`${schema.typeName}\n${text}`).digest("base64");
}

function plain(pointer: string, text: string): string {
  if (text.includes("\0")) throw invalidField(pointer, "the text holds a NUL character");
  return text;
}
