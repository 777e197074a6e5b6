import { CallFault } from "./call-fault.ts";
import { type SseEvent, sseReader } from "./sse.ts";
import { unreachable } from "./unreachable.ts";
import { type Call, isSuccess, parseJson, readText, refusal, type Wire } from "./wire.ts";

/**
 * One connection's events, until it ends. Silence counts as a lost connection: a server that is alive says so at least
 * every few seconds, while a dead network says nothing for hours.
 */
export async function* eventStream(
  wire: Wire,
  call: Call,
  stallMs: number,
): AsyncGenerator<SseEvent[], void> {
  const silence = new AbortController();
  const signal = call.signal === undefined ? silence.signal : AbortSignal.any([call.signal, silence.signal]);
  const hush = () => silence.abort(new DOMException("no sign of life", "TimeoutError"));
  let timer = setTimeout(hush, stallMs);
  try {
    const headers = { ...call.headers, accept: "text/event-stream" };
    const arrival = await wire.open({ ...call, headers, signal });
    if (!isSuccess(arrival)) throw refusal(arrival, parseJson(await readText(arrival)));
    const read = sseReader();
    for await (const chunk of arrival.chunks) {
      clearTimeout(timer);
      timer = setTimeout(hush, stallMs);
      yield read(chunk);
    }
  } catch (error) {
    throw error instanceof CallFault || call.signal?.aborted ? error : unreachable(wire.url, error);
  } finally {
    clearTimeout(timer);
    // Also when the reader of these events simply stops: the connection must not linger.
    silence.abort(new DOMException("no longer wanted", "AbortError"));
  }
}
