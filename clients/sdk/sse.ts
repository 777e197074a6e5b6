/** One server-sent event. `id` is the last id the stream has told, on this event or before. */
export interface SseEvent {
  readonly event: string;
  readonly id: string;
  readonly data: string;
}

/** An event that never ends must not eat the memory. */
const limitChars = 64 * 1024 * 1024;

/**
 * Reads the event-stream format piece by piece, wherever the pieces are cut: within a character, between CR and LF,
 * between the lines of one event. An event that the end of the stream cuts short is dropped, as the standard asks.
 */
export function sseReader(): (chunk: Uint8Array) => SseEvent[] {
  const decoder = new TextDecoder();
  let line = "";
  let afterCr = false;
  let event = "";
  let data: string[] = [];
  let size = 0;
  let id = "";

  return (chunk) => {
    const decoded = decoder.decode(chunk, { stream: true });
    const text = afterCr && decoded.startsWith("\n") ? decoded.slice(1) : decoded;
    if (decoded !== "") afterCr = decoded.endsWith("\r");
    const [first = "", ...rest] = text.split(/\r\n|\n|\r/);
    const found: SseEvent[] = [];
    line += first;
    for (const next of rest) {
      const done = take(line);
      if (done !== undefined) found.push(done);
      line = next;
    }
    if (line.length + size > limitChars) throw new Error("an event of the stream is too large");
    return found;
  };

  function take(text: string): SseEvent | undefined {
    if (text === "") return dispatch();
    const colon = text.indexOf(":");
    if (colon === 0) return undefined;
    const field = colon < 0 ? text : text.slice(0, colon);
    const value = colon < 0 ? "" : text.slice(text[colon + 1] === " " ? colon + 2 : colon + 1);
    if (field === "event") event = value;
    else if (field === "id" && !value.includes("\0")) id = value;
    else if (field === "data") {
      data.push(value);
      size += value.length;
    }
    return undefined;
  }

  function dispatch(): SseEvent | undefined {
    const whole = data.length === 0 ? undefined : { event: event || "message", id, data: data.join("\n") };
    event = "";
    data = [];
    size = 0;
    return whole;
  }
}
