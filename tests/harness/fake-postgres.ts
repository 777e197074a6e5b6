import { createServer, type Socket } from "node:net";
import type { Bench } from "./bench.ts";

export interface Fake {
  readonly url: string;
  /** What it was asked, in order. */
  readonly asked: readonly string[];
}

/** What it claims to be, and how what it refuses begins. */
interface Claims {
  readonly version: string;
  readonly number: string;
  readonly refuses: readonly string[];
}

/** Speaks just enough of the protocol to claim to be some database; who asks for its version is told, the rest is answered with nothing. */
export async function fakePostgres(bench: Bench, claims: Claims): Promise<Fake> {
  const sockets = new Set<Socket>();
  const asked: string[] = [];
  const server = createServer((socket) => {
    sockets.add(socket);
    let greeted = false;
    let rest = Buffer.alloc(0);
    socket.on("error", () => {});
    socket.on("data", (chunk) => {
      rest = Buffer.concat([rest, chunk]);
      // A length, which in all but the greeting follows a letter for the kind; several may come at once.
      for (;;) {
        const at = greeted ? 1 : 0;
        if (rest.length < at + 4 || rest.length < at + rest.readInt32BE(at)) return;
        const end = at + rest.readInt32BE(at);
        if (!greeted) socket.write(Buffer.concat([message("R", int32(0)), ready]));
        else if (rest[0] === 0x51) {
          const text = rest.toString("utf8", 5, end - 1);
          asked.push(text);
          socket.write(Buffer.concat([answer(text, claims), ready]));
        }
        rest = rest.subarray(end);
        greeted = true;
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  bench.keep({
    end() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  });
  return { url: `postgres://reeve@127.0.0.1:${(server.address() as { port: number }).port}/reeve`, asked };
}

function answer(text: string, { version, number, refuses }: Claims): Buffer {
  if (refuses.some((start) => text.startsWith(start))) return refusal(`the fake refuses: ${text}`);
  return text.includes("server_version_num") ? row({ version, number }) : done;
}

const message = (type: string, body: Buffer) =>
  Buffer.concat([Buffer.from(type), int32(body.length + 4), body]);
const ready = message("Z", Buffer.from("I"));
const done = message("C", Buffer.from("SET\0"));

const refusal = (words: string) => message("E", Buffer.from(`SERROR\0C42704\0M${words}\0\0`));

function row(values: Readonly<Record<string, string>>): Buffer {
  const count = int16(Object.keys(values).length);
  const names = Object.keys(values).map((name) =>
    Buffer.concat([Buffer.from(`${name}\0`), int32(0), int16(0), int32(25), int16(-1), int32(-1), int16(0)]),
  );
  const texts = Object.values(values).map((text) => Buffer.concat([int32(text.length), Buffer.from(text)]));
  const columns = message("T", Buffer.concat([count, ...names]));
  const data = message("D", Buffer.concat([count, ...texts]));
  return Buffer.concat([columns, data, message("C", Buffer.from("SELECT 1\0"))]);
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}

function int16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeInt16BE(value);
  return bytes;
}
