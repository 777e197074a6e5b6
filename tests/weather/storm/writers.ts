import { setTimeout as sleep } from "node:timers/promises";
import { Project } from "../../../areas/access/kinds/index.ts";
import { CallFault, type Client, connect } from "../../../clients/sdk/index.ts";
import type { Ledger } from "../../harness/ledger.ts";
import { type Random, seeded } from "../../harness/random.ts";

/** One change that the system has acknowledged. */
export interface Change {
  readonly key: string;
  readonly operation: "create" | "update" | "delete";
  readonly name: string;
  readonly uid: string;
  readonly generation: number;
  readonly revision: number;
}

export interface Writers {
  readonly figures: { acknowledged: number; conflicts: number; repeated: number };
  /** No new changes; resolves when the fate of every begun one is known. */
  stop(): Promise<void>;
}

interface WriterOptions {
  readonly urls: readonly string[];
  readonly token: string;
  readonly ledger: Ledger<Change>;
  readonly counters: readonly string[];
  readonly seed: number;
}

/** Shorter than most sleeps: what a sleeper was asked is asked elsewhere, and the sleeper does it too when it wakes. */
const attempt = { timeoutMs: 3000, retry: { attempts: 2, withinMs: 3500 } };

/**
 * Programs that use the SDK through either replica as they find it: each change has a key of its own and is repeated with it,
 * here or there, until its fate is known. What was acknowledged is in the ledger, once.
 */
export function startWriters(count: number, options: WriterOptions): Writers {
  const figures = { acknowledged: 0, conflicts: 0, repeated: 0 };
  let stopped = false;
  const write = async (number: number) => {
    const random = seeded(options.seed * 31 + number);
    const clients = options.urls.map((url) => connect({ url, token: options.token, ...attempt }));
    if (number % 2) clients.reverse();
    const own: string[] = [];
    for (let at = 0; !stopped; at++) {
      const change = nextChange(random, own, options.counters, `w${number}-${at}`);
      // From time to time elsewhere, so that both are used in fine weather too.
      if (random.next() < 0.05) clients.reverse();
      const done = await persist(clients, change, figures);
      if (done === undefined) figures.conflicts++;
      else {
        options.ledger.write(done);
        figures.acknowledged++;
        if (done.operation === "create") own.push(done.name);
      }
      await sleep(random.between(10, 60));
    }
  };
  const running = Promise.all(Array.from({ length: count }, (_, number) => write(number)));
  running.catch(() => {});
  return {
    figures,
    async stop() {
      stopped = true;
      await running;
    },
  };
}

interface Wanted {
  readonly key: string;
  readonly operation: Change["operation"];
  readonly name: string;
}

function nextChange(random: Random, own: string[], counters: readonly string[], key: string): Wanted {
  const dice = random.next();
  if (dice < 0.35) return { key, operation: "update", name: random.pick(counters) };
  if (dice < 0.5 && own.length > 3)
    return {
      key,
      operation: "delete",
      name: own.splice(Math.floor(random.next() * own.length), 1)[0] as string,
    };
  return { key, operation: "create", name: key };
}

/** Until it is known: the change, or undefined when somebody else was faster (a conflict). */
async function persist(
  clients: Client[],
  wanted: Wanted,
  figures: Writers["figures"],
): Promise<Change | undefined> {
  // What a counter is counted up from is part of the change, and the same in every repeat.
  const base = wanted.operation === "update" ? await read(clients, wanted.name) : undefined;
  for (;;) {
    try {
      return await send(clients[0] as Client, wanted, base);
    } catch (error) {
      if (!(error instanceof CallFault)) throw error;
      if (error.kind === "conflict" && wanted.operation === "update") return undefined;
      if (error.kind !== "unavailable")
        throw new Error(`${JSON.stringify(wanted)} was answered with ${error.kind}: ${error.message}`);
      figures.repeated++;
      clients.reverse();
      await sleep(50);
    }
  }
}

interface Base {
  readonly revision: number;
  readonly count: number;
}

async function send(client: Client, wanted: Wanted, base: Base | undefined): Promise<Change> {
  const { key, operation, name } = wanted;
  const projects = client.kind(Project);
  const metadata = { scope: "acme", name };
  if (operation === "delete") {
    const { resource } = await projects.delete("acme", name, { idempotencyKey: key });
    return changeOf(wanted, resource);
  }
  if (operation === "create")
    return changeOf(wanted, (await projects.create({ metadata }, { idempotencyKey: key })).resource);
  const draft = { metadata, spec: { displayName: String((base?.count ?? 0) + 1) } };
  const options = { idempotencyKey: key, ...(base === undefined ? {} : { ifMatch: base.revision }) };
  return changeOf(wanted, (await projects.apply(draft, options)).resource);
}

async function read(clients: Client[], name: string): Promise<Base> {
  for (;;) {
    try {
      const { metadata, spec } = await (clients[0] as Client).kind(Project).get("acme", name);
      return { revision: metadata.revision, count: Number(spec.displayName) };
    } catch (error) {
      if (!(error instanceof CallFault) || error.kind !== "unavailable") throw error;
      clients.reverse();
      await sleep(50);
    }
  }
}

function changeOf(
  wanted: Wanted,
  resource: { metadata: { uid: string; generation: number; revision: number } } | undefined,
): Change {
  if (resource === undefined)
    throw new Error(`${JSON.stringify(wanted)} was acknowledged without the resource`);
  const { uid, generation, revision } = resource.metadata;
  return { ...wanted, uid, generation, revision };
}
