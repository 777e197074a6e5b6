import { writeFileSync } from "node:fs";
import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  createSecureServer,
  type IncomingHttpHeaders,
  type ServerHttp2Stream,
} from "node:http2";
import { join } from "node:path";
import { type KeyPair, selfSigned } from "../../../core/control/index.ts";
import type { Bench } from "../../harness/bench.ts";
import type { Random } from "../../harness/random.ts";

/** One agent's proxies to all replicas. They end TLS, and pass the messages of its life line on twice, late and in another order. */
export interface Mixer {
  readonly ports: readonly number[];
  /** The file with the proxies' authority: the agent joins with `--bearer --ca` and this. */
  readonly ca: string;
  /** How many messages came late or once more so far. */
  readonly mixed: number;
}

/** So many of all messages come late, and so many come once more, each within this time. */
const late = 0.2;
const again = 0.2;
const latestMs = 1500;

/** `address` is the one by which the agent knows its proxies. */
export async function openMixer(
  bench: Bench,
  targets: readonly number[],
  address: string,
  random: Random,
): Promise<Mixer> {
  const pair = selfSigned("mixer", [address], 1);
  const ca = join(bench.folder(), "ca.pem");
  writeFileSync(ca, pair.cert);
  const mixing = { random, mixed: 0 };
  return {
    ca,
    ports: await Promise.all(targets.map((target) => openProxy(bench, target, pair, mixing))),
    get mixed() {
      return mixing.mixed;
    },
  };
}

async function openProxy(bench: Bench, target: number, pair: KeyPair, mixing: Mixing): Promise<number> {
  const sessions = new Set<{ destroy(): void }>();
  const front = createSecureServer(pair);
  front.on("session", (outside) => {
    const inside = connect(`http://127.0.0.1:${target}`);
    for (const [one, other] of [
      [outside, inside],
      [inside, outside],
    ] as const) {
      sessions.add(one);
      one.on("error", () => {});
      one.on("close", () => {
        sessions.delete(one);
        other.destroy();
      });
    }
    outside.on("stream", (stream, headers) => pass(stream, headers, inside, mixing));
  });
  await new Promise<void>((resolve) => front.listen(0, "127.0.0.1", resolve));
  bench.keep({
    end() {
      front.close();
      for (const session of sessions) session.destroy();
    },
  });
  return (front.address() as { port: number }).port;
}

interface Mixing {
  readonly random: Random;
  mixed: number;
}

function pass(
  outside: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  session: ClientHttp2Session,
  mixing: Mixing,
): void {
  const inside = session.request(headers);
  const isLifeLine = headers[":path"]?.endsWith("/Control");
  for (const [one, other] of [
    [outside, inside],
    [inside, outside],
  ] as const) {
    one.on("error", () => {});
    one.on("close", () => other.close(one.rstCode));
    if (isLifeLine) mix(one, other, mixing);
    else one.pipe(other);
  }
  inside.on("response", (answer) => outside.respond(answer));
}

/** One way of a stream. Its first message, hello or welcome, and its end keep their places: whoever breaks that speaks another protocol. */
function mix(
  from: ServerHttp2Stream | ClientHttp2Stream,
  to: ServerHttp2Stream | ClientHttp2Stream,
  mixing: Mixing,
): void {
  const { random } = mixing;
  const held = new Map<NodeJS.Timeout, Buffer>();
  let unread = Buffer.alloc(0);
  let begun = false;
  const send = (message: Buffer) => {
    if (to.writable) to.write(message);
  };
  const hold = (message: Buffer) => {
    mixing.mixed++;
    const timer = setTimeout(
      () => {
        held.delete(timer);
        send(message);
      },
      random.between(0, latestMs),
    );
    held.set(timer, message);
  };
  const flush = () => {
    for (const [timer, message] of held) {
      clearTimeout(timer);
      send(message);
    }
    held.clear();
  };
  from.on("data", (chunk: Buffer) => {
    unread = Buffer.concat([unread, chunk]);
    // An envelope of Connect: flags, the message's length, the message.
    while (unread.length >= 5 && unread.length >= 5 + unread.readUInt32BE(1)) {
      const message = unread.subarray(0, 5 + unread.readUInt32BE(1));
      unread = unread.subarray(message.length);
      const isEnd = ((message[0] ?? 0) & 2) !== 0;
      if (isEnd) flush();
      const free = begun && !isEnd;
      begun = true;
      if (free && random.next() < late) hold(message);
      else send(message);
      if (free && random.next() < again) hold(message);
    }
  });
  from.on("end", () => {
    flush();
    to.end();
  });
  from.on("close", () => {
    for (const timer of held.keys()) clearTimeout(timer);
  });
}
