import type { ContainerLine } from "@reeve/model";
import type { Container } from "./container.ts";
import { partsOf } from "./frames.ts";
import type { EngineSocket } from "./socket.ts";

const lineMost = 64 * 1024;
const newline = 10;

/** What a container has said after a time and says until it ends, in its order, as many lines at once as are there. */
export async function* followLog(
  socket: EngineSocket,
  { id, name, tty }: Pick<Container, "id" | "name" | "tty">,
  after: string | undefined,
  signal: AbortSignal,
): AsyncGenerator<ContainerLine[]> {
  const query = {
    ...{ stdout: "1", stderr: "1", timestamps: "1", follow: "1" },
    ...(after === undefined ? {} : { since: justAfter(after) }),
  };
  const response = await socket.stream(`/containers/${id}/logs`, { query, signal });
  // Removed in the meantime, and its log with it.
  if (response.statusCode === 404) return void response.resume();
  const rest = { stdout: Buffer.alloc(0), stderr: Buffer.alloc(0) };
  for await (const { stream, data } of partsOf(response, tty)) {
    let waiting = Buffer.concat([rest[stream], data]);
    const lines: ContainerLine[] = [];
    for (let end = lineEnd(waiting); end >= 0; end = lineEnd(waiting)) {
      lines.push({ container: name, stream, ...readLine(waiting.subarray(0, end)) });
      waiting = waiting.subarray(waiting[end] === newline ? end + 1 : end);
    }
    rest[stream] = waiting;
    if (lines.length > 0) yield lines;
  }
}

/** Where the first line ends, by itself or because it is long enough; -1 while that is open. */
function lineEnd(bytes: Buffer): number {
  const end = bytes.indexOf(newline);
  if (end >= 0 && end <= lineMost) return end;
  return bytes.length > lineMost ? lineMost : -1;
}

/** The rest of a line that was too long has no time of its own. */
function readLine(bytes: Buffer): Pick<ContainerLine, "at" | "text"> {
  const line = bytes.toString("utf8").replace(/\r$/, "");
  const [, at = "", text = line] = /^(\d{4}-\S+Z) ?(.*)$/s.exec(line) ?? [];
  return { at, text };
}

/** The API counts in seconds, with nanoseconds behind the point, and includes the time that it is given. */
function justAfter(at: string): string {
  const fraction = /\.(\d{1,9})/.exec(at)?.[1] ?? "";
  const seconds = BigInt(Math.floor(Date.parse(at) / 1000));
  const next = seconds * 1_000_000_000n + BigInt(fraction.padEnd(9, "0")) + 1n;
  return `${next / 1_000_000_000n}.${String(next % 1_000_000_000n).padStart(9, "0")}`;
}
