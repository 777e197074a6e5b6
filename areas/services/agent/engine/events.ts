import { setTimeout as sleep } from "node:timers/promises";
import { projectLabel } from "./container.ts";
import type { EngineSocket } from "./socket.ts";

export interface EventsHeard {
  /** From now on nothing is missed. */
  connected(): void;
  event(container: string, project: string): void;
  /** Whatever happens until the next `connected` is not told. */
  lost(): void;
}

/** Those that change what is observed: health checks and `exec` make others, many a second. */
const telling = [
  ...["create", "start", "restart", "die", "oom", "pause", "unpause", "rename", "update", "destroy"],
  // Podman's own words for two of them.
  ...["health_status", "died", "remove"],
];

const [pauseFirstMs, pauseMostMs] = [100, 5000];
const lineMost = 1024 ** 2;

/** Hears of the containers of Compose projects until the signal; comes back by itself when the engine does. */
export async function hearEvents(
  socket: EngineSocket,
  heard: EventsHeard,
  signal: AbortSignal,
): Promise<void> {
  let pauseMs = pauseFirstMs;
  while (!signal.aborted) {
    try {
      // From a second ago: the engine answers a moment before it listens.
      const since = String(Math.floor(Date.now() / 1000) - 1);
      // Not by label: Podman finds none whose value is not given too.
      const filters = { type: ["container"], event: telling };
      const stream = await socket.stream("/events", { query: { since, filters }, signal });
      pauseMs = pauseFirstMs;
      heard.connected();
      for await (const line of linesOf(stream)) tell(JSON.parse(line), heard);
    } catch {
      // Away, or it says what nobody understands: either way there is nothing to do but to try again.
    }
    if (signal.aborted) return;
    heard.lost();
    await sleep(pauseMs * (0.5 + Math.random()), undefined, { signal }).catch(() => {});
    pauseMs = Math.min(pauseMs * 2, pauseMostMs);
  }
}

function tell(event: unknown, heard: EventsHeard): void {
  const { Actor } = event as { Actor?: { ID?: string; Attributes?: Record<string, string> } };
  const project = Actor?.Attributes?.[projectLabel];
  if (Actor?.ID !== undefined && project !== undefined) heard.event(Actor.ID, project);
}

async function* linesOf(stream: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let rest = "";
  const decoder = new TextDecoder();
  for await (const part of stream) {
    const lines = (rest + decoder.decode(part, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    if (rest.length > lineMost) throw new Error("a line without an end");
    for (const line of lines) if (line.trim() !== "") yield line;
  }
}
