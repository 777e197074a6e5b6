import type { MessageInitShape } from "@bufbuild/protobuf";
import { invalidField } from "@reeve/model";
import { type ApplyManyRequest, ApplyManyRequestSchema, type ApplyManyResponseSchema } from "@reeve/protocol";
import type { Asking, Context } from "../../context.ts";
import { type Applied, applyMany } from "../../operations/apply-many.ts";
import type { Arrival } from "../gate.ts";
import { faultOf, problemOf } from "./fault-codes.ts";
import { readAsking } from "./read-request.ts";
import { written } from "./write-answer.ts";

type Answer = MessageInitShape<typeof ApplyManyResponseSchema>;
type Result = NonNullable<Answer["results"]>[number];

export async function applyManyCall(
  context: Context,
  arrival: Arrival,
  request: ApplyManyRequest,
): Promise<Answer> {
  const { manifests } = request;
  if (manifests.length < 1 || manifests.length > 1000) throw invalidField("/manifests", "send 1 to 1000");
  const asking = readAsking(arrival, ApplyManyRequestSchema, request);
  if (asking.ifMatch !== undefined)
    throw invalidField("/options/ifMatch", "one revision cannot be that of many", "apply them one by one");
  const results = await applyMany(context, asking, manifests);
  return { results: results.map((applied) => resultOf(context, asking, applied)) };
}

function resultOf(context: Context, { origin: { requestId } }: Asking, applied: Applied): Result {
  if ("written" in applied) return { result: { case: "applied", value: written(applied.written) } };
  const fault = faultOf(applied.error);
  if (fault.kind === "internal")
    context.log.error({ err: applied.error, requestId }, "one of many applies failed");
  return { result: { case: "problem", value: problemOf(fault, requestId) } };
}
