import {
  type ContextValues,
  createContextKey,
  createContextValues,
  type HandlerContext,
} from "@connectrpc/connect";
import type { ResourceService } from "@reeve/protocol";
import type { Arrival, Gate, Incoming, Visit } from "../gate.ts";

/** A call's request and answer, as node has them. */
export interface Call {
  readonly request: Incoming;
  readonly answer: Visit["answer"];
}

const callKey = createContextKey<Call | undefined>(undefined);
const arrivalKey = createContextKey<Arrival | undefined>(undefined);

export function withCall(call: Call): ContextValues {
  return createContextValues().set(callKey, call);
}

type Method = (typeof ResourceService)["methods"][number]["name"];
const reads: readonly Method[] = ["Get", "List", "Diff", "History", "Events", "Why", "ListKinds"];

function useOf(method: string): Visit["use"] {
  if (method === ("Watch" satisfies Method)) return "watch";
  return (reads as readonly string[]).includes(method) ? "read" : "change";
}

/**
 * Finds out who calls, before the body is read. A cookie is no credential here: a browser would send it along for other
 * sites.
 */
export async function admit(
  gate: Pick<Gate, "arrive">,
  { values, method: called }: Pick<HandlerContext, "values" | "method">,
): Promise<Arrival> {
  const { request, answer } = values.get(callKey) as Call;
  const { method, headers, socket } = request;
  const { cookie: _, ...rest } = headers;
  const arrival = await gate.arrive({ method, headers: rest, socket }, { use: useOf(called.name), answer });
  values.set(arrivalKey, arrival);
  return arrival;
}

export function arrivalOf({ values }: Pick<HandlerContext, "values">): Arrival {
  const arrival = values.get(arrivalKey);
  if (arrival === undefined) throw new Error("a call got past the gate without arriving");
  return arrival;
}

/** Empty when the call was refused before it got an id. */
export function requestIdOf(values: ContextValues): string {
  return values.get(arrivalKey)?.origin.requestId ?? "";
}
