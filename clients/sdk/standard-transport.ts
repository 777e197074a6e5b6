import type { Transport } from "./transport.ts";

/** Loaded with the first request, because whoever asks for help makes none. */
export function standardTransport(ca: string | undefined): Transport {
  const loading = import("./node-transport.ts").then((module) => module.nodeTransport(ca));
  return async (url, request) => (await loading)(url, request);
}
