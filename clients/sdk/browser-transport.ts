import { fetchTransport, type Transport } from "./transport.ts";

/** A browser decides itself whom to trust. */
export function standardTransport(_ca: string | undefined): Transport {
  return fetchTransport(globalThis.fetch.bind(globalThis));
}
