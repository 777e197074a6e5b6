import type { Resource } from "@reeve/model";
import { onTestFinished } from "vitest";
import type { TestServer } from "./testing.ts";

export interface Heard {
  readonly event: string;
  /** As the browser keeps it: an event without an id has that of the last one with. */
  readonly id: string;
  readonly data: {
    readonly resource: Resource;
    readonly revision: number;
    readonly problem: { kind: string; status: number };
  };
}

export interface TestWatch {
  readonly status: number;
  readonly heard: readonly Heard[];
  /** Everything but `synced`, as "added ci@12". */
  readonly told: readonly string[];
  /** Waits until the watch has been told everything up to a revision. */
  until(revision: number): Promise<void>;
  /** Waits for an event that fits, among those heard already or to come. */
  find(fits: (heard: Heard) => boolean): Promise<Heard>;
  /** Resolves when the server has ended the stream. */
  readonly over: Promise<void>;
  close(): void;
}

/** Watches through a real connection; the format is read here by its rules, not by our client's reader. */
export async function openWatch(
  server: TestServer,
  path: string,
  options: { token?: string | null; lastId?: string } = {},
): Promise<TestWatch> {
  const ending = new AbortController();
  const token = options.token === undefined ? server.owner : options.token;
  const asking = path.startsWith("/watch?") ? "" : `${path.includes("?") ? "&" : "?"}watch=true`;
  const answer = await fetch(`${server.url}/api/v1${path}${asking}`, {
    signal: ending.signal,
    headers: {
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      ...(options.lastId === undefined ? {} : { "last-event-id": options.lastId }),
    },
  });
  const heard: Heard[] = [];
  const waiting = new Set<() => void>();
  const over = follow(answer, heard, () => {
    for (const wake of waiting) wake();
  });
  const close = () => ending.abort();
  onTestFinished(close);

  async function find(fits: (one: Heard) => boolean): Promise<Heard> {
    for (let from = 0; ; ) {
      const found = heard.slice(from).find(fits);
      if (found !== undefined) return found;
      from = heard.length;
      const ended = await Promise.race([
        new Promise<false>((resolve) => {
          const wake = () => {
            waiting.delete(wake);
            resolve(false);
          };
          waiting.add(wake);
        }),
        over.then(() => true),
      ]);
      if (ended && !heard.slice(from).some(fits))
        throw new Error(`the watch is over: ${JSON.stringify(heard.at(-1))}`);
    }
  }

  return {
    status: answer.status,
    heard,
    get told() {
      return heard
        .filter((one) => one.event !== "synced")
        .map(
          ({ event, data }) => `${event} ${data.resource?.metadata.name}@${data.resource?.metadata.revision}`,
        );
    },
    find,
    async until(revision) {
      // `synced` is said once at the start and then only when it is quiet, so a later change tells it as well.
      await find((one) => Number(one.id) >= revision);
    },
    over,
    close,
  };
}

async function follow(answer: Response, heard: Heard[], wake: () => void): Promise<void> {
  let text = "";
  let id = "";
  try {
    for await (const chunk of (answer.body as ReadableStream<Uint8Array>).pipeThrough(
      new TextDecoderStream() as never,
    ) as unknown as AsyncIterable<string>) {
      text += chunk;
      const blocks = text.split("\n\n");
      text = blocks.pop() as string;
      for (const block of blocks) {
        const lines = block.split("\n").map((line) => /^(event|id|data): (.*)$/s.exec(line) ?? []);
        const field = (name: string) => lines.find((line) => line[1] === name)?.[2];
        id = field("id") ?? id;
        const data = field("data");
        if (data !== undefined)
          heard.push({ event: field("event") ?? "message", id, data: JSON.parse(data) });
      }
      wake();
    }
  } catch (error) {
    if (!(error instanceof Error && error.name === "AbortError") && !/terminated|aborted/.test(String(error)))
      throw error;
  }
  wake();
}

/** What somebody who only watched believes to be there. */
export function replayed(heard: readonly Heard[]): Map<string, Resource> {
  const known = new Map<string, Resource>();
  for (const { event, data } of heard) {
    const { scope, name } = data.resource?.metadata ?? { scope: "", name: "" };
    if (event === "removed") known.delete(`${scope}/${name}`);
    if (event === "added" || event === "modified") known.set(`${scope}/${name}`, data.resource);
  }
  return known;
}
