import {
  type ContextValues,
  createContextKey,
  createContextValues,
  type HandlerContext,
} from "@connectrpc/connect";
import type { Arrival, Gate, Incoming } from "../gate.ts";

const incomingKey = createContextKey<Incoming | undefined>(undefined);
const arrivalKey = createContextKey<Arrival | undefined>(undefined);

export function withIncoming(request: Incoming): ContextValues {
  return createContextValues().set(incomingKey, request);
}

/**
 * Finds out who calls, before the body is read. A cookie is no credential here: a browser would send it along for other
 * sites.
 */
export async function admit(gate: Pick<Gate, "arrive">, values: ContextValues): Promise<Arrival> {
  const { method, headers, socket } = values.get(incomingKey) as Incoming;
  const { cookie: _, ...rest } = headers;
  const arrival = await gate.arrive({ method, headers: rest, socket });
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
