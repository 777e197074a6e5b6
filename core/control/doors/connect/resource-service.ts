import type { ServiceImpl } from "@connectrpc/connect";
import { invalidField } from "@reeve/model";
import * as wire from "@reeve/protocol";
import { readResource } from "@reeve/store";
import type { Context } from "../../context.ts";
import { act } from "../../operations/act.ts";
import { patch, rollback } from "../../operations/amend.ts";
import { apply } from "../../operations/apply.ts";
import { difference } from "../../operations/difference.ts";
import { events, get, history, why } from "../../operations/get.ts";
import { list } from "../../operations/list.ts";
import { leftBehind, remove } from "../../operations/remove.ts";
import { describeKind } from "../rest/kind-description.ts";
import { applyManyCall } from "./apply-many.ts";
import { arrivalOf } from "./arrivals.ts";
import { readAddress, readAsking, readLimit, readSelection, readWhole } from "./read-request.ts";
import { watchStream } from "./watch-stream.ts";
import { outcomeOf, struct, time, value, written } from "./write-answer.ts";

/** Words in, one operation, words out. */
export function resourceService(context: Context): ServiceImpl<typeof wire.ResourceService> {
  const { registry } = context;
  return {
    async get({ address }, handler) {
      return { resource: struct(await get(context, arrivalOf(handler), readAddress(registry, address))) };
    },
    async list({ selection, limit, continue: token }, handler) {
      const request = readSelection(registry, selection);
      const page = await list(
        context,
        arrivalOf(handler),
        request,
        readLimit(limit, 100),
        token || undefined,
      );
      return {
        items: page.items.map((item) => struct(item)),
        revision: BigInt(page.revision),
        continue: page.continue ?? "",
      };
    },
    watch({ selection, since }, handler) {
      const request = readSelection(registry, selection);
      const from = since === undefined ? {} : { since: readWhole("/since", since, 0) };
      return watchStream(context, arrivalOf(handler), { ...request, ...from }, handler.signal);
    },

    async apply(request, handler) {
      const asking = readAsking(arrivalOf(handler), wire.ApplyRequestSchema, request);
      return written(
        await apply(context, asking, manifestOf(request), asking.ifNoneMatch ? "create" : "apply"),
      );
    },
    applyMany: (request, handler) => applyManyCall(context, arrivalOf(handler), request),
    async patch(request, handler) {
      const asking = readAsking(arrivalOf(handler), wire.PatchRequestSchema, request);
      return written(
        await patch(context, asking, readAddress(registry, request.address), request.patch ?? {}),
      );
    },
    async delete(request, handler) {
      const at = readAddress(registry, request.address);
      const asking = readAsking(arrivalOf(handler), wire.DeleteRequestSchema, request);
      // Only told once the deletion was allowed. Not there any more: a repeat, which gets its first answer.
      const before = request.force ? await readResource(context.database, at) : undefined;
      const { outcome, resource } = await remove(context, asking, at, request.force);
      return {
        gone: outcome === "deleted",
        resource: struct(resource),
        leftBehind: before ? leftBehind(before) : [],
      };
    },
    async act(request, handler) {
      const at = readAddress(registry, request.address);
      const asking = readAsking(arrivalOf(handler), wire.ActRequestSchema, request);
      const { output, resource } = await act(context, asking, at, request.action, request.input);
      return { output: value(output), resource: struct(resource) };
    },

    async diff(request, handler) {
      const { caller, origin } = arrivalOf(handler);
      const found = await difference(
        context,
        { caller, origin, reason: "", dryRun: true },
        manifestOf(request),
      );
      const changes = found.changes.map(({ pointer, before, after }) => ({
        pointer,
        before: value(before),
        after: value(after),
      }));
      return {
        outcome: outcomeOf(found.outcome),
        changes,
        before: struct(found.before),
        after: struct(found.after),
      };
    },
    async history({ address, limit, before }, handler) {
      const at = readAddress(registry, address);
      const until = before === undefined ? undefined : readWhole("/before", before, 1);
      const found = await history(context, arrivalOf(handler), at, until, readLimit(limit, 50));
      return {
        generations: found.map((one) => ({ ...one, generation: BigInt(one.generation), at: time(one.at) })),
      };
    },
    async rollback(request, handler) {
      const at = readAddress(registry, request.address);
      const asking = readAsking(arrivalOf(handler), wire.RollbackRequestSchema, request);
      return written(await rollback(context, asking, at, readWhole("/generation", request.generation, 1)));
    },

    async events({ address, limit }, handler) {
      const found = await events(
        context,
        arrivalOf(handler),
        readAddress(registry, address),
        readLimit(limit, 100),
      );
      return { events: found.map((one) => ({ ...one, at: time(one.at), firstAt: time(one.firstAt) })) };
    },
    async why({ address }, handler) {
      const {
        look,
        holds: told,
        usedBy: uses,
        owned,
        goesWith,
      } = await why(context, arrivalOf(handler), readAddress(registry, address));
      const usedBy = uses.map(({ pointer, ...at }) => ({ address: at, pointer }));
      const holds = told.map(({ count, why, ...hold }) => ({
        what: "kind" in hold ? hold.kind : hold.finalizer,
        count,
        why,
      }));
      if (look === null) return { holds, usedBy, owned: [...owned], goesWith: [...goesWith] };
      const { lookedAt, nextAt, replica, ...rest } = look;
      return {
        look: { ...rest, lookedAt: time(lookedAt), nextAt: time(nextAt), replica: replica ?? "" },
        holds,
        usedBy,
        owned: [...owned],
        goesWith: [...goesWith],
      };
    },

    listKinds: () => ({ kinds: registry.kinds.map((kind) => struct(describeKind(kind))) }),
  };
}

function manifestOf({ manifest }: { manifest?: object | undefined }): object {
  if (manifest === undefined) throw invalidField("/manifest", "missing", "send the resource to be applied");
  return manifest;
}
