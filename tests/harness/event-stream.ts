/** A watch as it comes over the wire, event by event, without any client of ours. */
export interface WatchedEvent {
  readonly event: string;
  readonly id: number | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever came back
  readonly data: any;
}

export interface OpenWatch {
  readonly status: number;
  readonly events: WatchedEvent[];
  /** Resolves when the server or the network has ended it. */
  readonly ended: Promise<void>;
  close(): void;
}

export async function openWatch(url: string, token: string | undefined, path: string): Promise<OpenWatch> {
  const abort = new AbortController();
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const response = await fetch(url + path, { headers, signal: abort.signal });
  const events: WatchedEvent[] = [];
  const read = async () => {
    let rest = "";
    if (response.body === null) return;
    for await (const text of response.body.pipeThrough(new TextDecoderStream())) {
      const blocks = (rest + text).split("\n\n");
      rest = blocks.pop() ?? "";
      events.push(...blocks.filter((block) => !block.startsWith(":")).map(readEvent));
    }
  };
  return {
    status: response.status,
    events,
    ended: read().catch(() => {}),
    close: () => abort.abort(),
  };
}

function readEvent(block: string): WatchedEvent {
  const fields = Object.fromEntries(
    block.split("\n").map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 2)]),
  );
  return {
    event: fields.event ?? "",
    id: fields.id === undefined ? undefined : Number(fields.id),
    data: JSON.parse(fields.data ?? "null"),
  };
}
