/**
 * Makes lines of pieces of several logs that come mixed: each under a key of its own, so that what one begins no other ends.
 * A line without an end is cut at 64 KB, so that memory is bounded.
 */
export interface LogLines {
  push(key: string, bytes: Uint8Array): string[];
  /** What has no line's end yet. */
  rest(): { key: string; line: string }[];
}

const longest = 65_536;

export function openLogLines(): LogLines {
  const begin = () => ({ decoder: new TextDecoder(), text: "" });
  const open = new Map<string, ReturnType<typeof begin>>();
  return {
    push(key, bytes) {
      const log = open.get(key) ?? begin();
      open.set(key, log);
      const lines = (log.text + log.decoder.decode(bytes, { stream: true })).split("\n");
      log.text = lines.pop() ?? "";
      for (; log.text.length > longest; log.text = log.text.slice(longest))
        lines.push(log.text.slice(0, longest));
      return lines.map((line) => (line.endsWith("\r") ? line.slice(0, -1) : line));
    },
    rest() {
      const left = [...open].map(([key, { decoder, text }]) => ({ key, line: text + decoder.decode() }));
      open.clear();
      return left.filter(({ line }) => line !== "");
    },
  };
}
