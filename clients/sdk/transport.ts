interface Request {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal?: AbortSignal;
}

/** An answer as it comes in: the head is there, the body still flows. */
export interface Arrival {
  readonly status: number;
  header(name: string): string | null;
  readonly chunks: AsyncIterable<Uint8Array>;
}

/** How bytes get to the server and back. Redirects are answers like any other. */
export type Transport = (url: string, request: Request) => Promise<Arrival>;

export type Fetch = typeof globalThis.fetch;

/** By the platform's own fetch: browsers, and whoever brings one. */
export function fetchTransport(fetch: Fetch): Transport {
  return async (url, request) => {
    const response = await fetch(url, { ...request, redirect: "manual" });
    return {
      status: response.status,
      header: (name) => response.headers.get(name),
      chunks: chunksOf(response.body),
    };
  };
}

/** Not every browser can iterate a stream by itself. */
async function* chunksOf(body: ReadableStream<Uint8Array> | null): AsyncGenerator<Uint8Array, void> {
  if (body === null) return;
  const reader = body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    yield value;
  }
}
