import { createServer, type Socket } from "node:net";
import type { Bench } from "./bench.ts";

/** Speaks just enough of the protocol to claim to be an old PostgreSQL; answers every query with its version number. */
export async function fakePostgres(bench: Bench, versionNumber: string): Promise<string> {
  const sockets = new Set<Socket>();
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
        if (!greeted) socket.write(Buffer.concat([message("R", int32(0)), ready]));
        else if (rest[0] === 0x51) socket.write(Buffer.concat([row(versionNumber), ready]));
        rest = rest.subarray(at + rest.readInt32BE(at));
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
  return `postgres://reeve@127.0.0.1:${(server.address() as { port: number }).port}/reeve`;
}

const message = (type: string, body: Buffer) =>
  Buffer.concat([Buffer.from(type), int32(body.length + 4), body]);
const ready = message("Z", Buffer.from("I"));

function row(value: string): Buffer {
  const name = Buffer.concat([Buffer.from("server_version_num\0"), int32(0), int16(0), int32(25)]);
  const column = Buffer.concat([int16(1), name, int16(-1), int32(-1), int16(0)]);
  const data = Buffer.concat([int16(1), int32(value.length), Buffer.from(value)]);
  return Buffer.concat([message("T", column), message("D", data), message("C", Buffer.from("SHOW\0"))]);
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
