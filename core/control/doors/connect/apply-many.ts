import type { MessageInitShape } from "@bufbuild/protobuf";
import { invalidField } from "@reeve/model";
import { type ApplyManyRequest, ApplyManyRequestSchema, type ApplyManyResponseSchema } from "@reeve/protocol";
import type { Asking, Context } from "../../context.ts";
import { apply } from "../../operations/apply.ts";
import type { Arrival } from "../gate.ts";
import { faultOf, problemOf } from "./fault-codes.ts";
import { readAsking } from "./read-request.ts";
import { written } from "./write-answer.ts";

type Answer = MessageInitShape<typeof ApplyManyResponseSchema>;
type Result = NonNullable<Answer["results"]>[number];

/** Applies many, each with a verdict of its own. They are submitted at once and in order, so they share the lane's batches. */
export async function applyMany(
  context: Context,
  arrival: Arrival,
  request: ApplyManyRequest,
): Promise<Answer> {
  const { manifests } = request;
  if (manifests.length < 1 || manifests.length > 1000) throw invalidField("/manifests", "send 1 to 1000");
  const asking = readAsking(arrival, ApplyManyRequestSchema, request);
  if (asking.ifMatch !== undefined)
    throw invalidField("/options/ifMatch", "one revision cannot be that of many", "apply them one by one");
  return {
    results: await Promise.all(
      manifests.map((manifest, index) => applyOne(context, forItem(asking, index), manifest)),
    ),
  };
}

/** Each item of a repeated request is recognised by its place. */
function forItem(asking: Asking, index: number): Asking {
  const { idempotency } = asking;
  return idempotency === undefined
    ? asking
    : { ...asking, idempotency: { ...idempotency, key: `${idempotency.key}#${index}` } };
}

async function applyOne(context: Context, asking: Asking, manifest: object): Promise<Result> {
  try {
    return { result: { case: "applied", value: written(await apply(context, asking, manifest)) } };
  } catch (error) {
    const { requestId } = asking.origin;
    const fault = faultOf(error);
    if (fault.kind === "internal") context.log.error({ err: error, requestId }, "one of many applies failed");
    return { result: { case: "problem", value: problemOf(fault, requestId) } };
  }
}
