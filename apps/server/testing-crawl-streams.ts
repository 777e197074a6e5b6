import { setTimeout as sleep } from "node:timers/promises";
import { registry } from "./areas.ts";
import type { TestServer } from "./testing.ts";

/** After these a stream tells only what is new. */
const told = /^event: (synced|done|line)$/m;
/** One that ends so was refused after it had begun. */
const refused = /^event: (end|over)$/m;
/** Streams of what has not ended and has nothing to tell. */
const quietMs = 3000;

/** A stream of events from its beginning to where it has told what there is. */
export async function readStream({ url, owner }: TestServer, path: string): Promise<string> {
  const ending = new AbortController();
  const answer = await fetch(`${url}/api/v1${path}`, {
    signal: ending.signal,
    headers: { authorization: `Bearer ${owner}` },
  });
  if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  const chunks = (answer.body as ReadableStream<Uint8Array>).getReader();
  const decoder = new TextDecoder();
  let heard = "";
  while (!told.test(heard)) {
    const chunk = await Promise.race([chunks.read(), sleep(quietMs)]);
    if (chunk?.value === undefined) break;
    heard += decoder.decode(chunk.value, { stream: true });
    if (refused.test(heard)) throw new Error(`${path}: ${heard}`);
  }
  ending.abort();
  return heard;
}

export async function crawlWatches(server: TestServer): Promise<string> {
  const texts = registry.kinds.flatMap(({ plural }) =>
    ["", "&since=0"].map((since) => readStream(server, `/${plural}?deep=true&watch=true${since}`)),
  );
  return (await Promise.all(texts)).join("\n");
}
