import { type Cast, type RecordedTerminal, readCast, type Scope } from "@reeve/model";
import { isSuccess, parseJson, readText, refusal, type Wire } from "./wire.ts";

export interface Recording extends RecordedTerminal {
  /** Absent while it goes on, and when the server was lost meanwhile. */
  readonly endedAt?: string;
  /** As the audit has it too; absent when some could not be written. */
  readonly sha256?: string;
}

interface RecordingQuery {
  readonly scope?: Scope;
  readonly kind?: string;
  readonly name?: string;
  readonly subject?: string;
}

export interface RecordingsClient {
  /** The newest first, fetched as they are asked for. */
  list(query?: RecordingQuery): AsyncGenerator<Recording, void>;
  /** Some of them, after one when its id is given. */
  page(
    query: RecordingQuery,
    after?: string,
  ): Promise<{ readonly items: readonly Recording[]; readonly next?: string }>;
  get(id: string): Promise<Recording>;
  /** The file, asciicast v2, in pieces as they arrive. */
  download(id: string): AsyncGenerator<Uint8Array, void>;
  replay(id: string): Promise<Cast>;
}

export function openRecordings(wire: Wire): RecordingsClient {
  const open = async (id: string) => {
    const arrival = await wire.open({ path: `${path(id)}/cast` });
    if (!isSuccess(arrival)) throw refusal(arrival, parseJson(await readText(arrival)));
    return arrival;
  };
  const recordings: RecordingsClient = {
    async *list(query = {}) {
      let after: string | undefined;
      do {
        const { items, next } = await recordings.page(query, after);
        yield* items;
        after = next;
      } while (after !== undefined);
    },
    async page(query, after) {
      const call = { path: "/api/v1/recordings", query: { ...query, continue: after } };
      const { items, continue: next } = (await wire.send(call)).body as {
        items: Recording[];
        continue?: string;
      };
      return { items, ...(next !== undefined && { next }) };
    },
    get: async (id) => (await wire.send({ path: path(id) })).body as Recording,
    async *download(id) {
      yield* (await open(id)).chunks;
    },
    replay: async (id) => readCast(await readText(await open(id))),
  };
  return recordings;
}

const path = (id: string) => `/api/v1/recordings/${encodeURIComponent(id)}`;
