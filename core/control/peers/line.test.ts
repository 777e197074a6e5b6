import { once } from "node:events";
import { type ClientHttp2Stream, connect, createServer, type ServerHttp2Stream } from "node:http2";
import type { AddressInfo } from "node:net";
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { ConnectError, createContextValues } from "@connectrpc/connect";
import { AgentService, ControlRequestSchema, ControlResponseSchema } from "@reeve/protocol";
import { expect, onTestFinished, test } from "vitest";
import { type Line, serveLine } from "./line.ts";

/** Answers each beat with its number. */
const echo: Line<typeof ControlRequestSchema, typeof ControlResponseSchema> = {
  method: AgentService.method.control,
  async *serve(requests) {
    for await (const { message } of requests)
      if (message.case === "beat")
        yield { message: { case: "beatHeard", value: { number: message.value.number, leaseMs: 1 } } };
  },
};

/** The bytes of a stream of one's own to a line. */
async function calling(line: Line): Promise<{ stream: ClientHttp2Stream; served: Promise<void> }> {
  const server = createServer();
  const { promise: served, resolve } = Promise.withResolvers<void>();
  const context = { values: createContextValues(), requestHeader: new Headers() };
  server.on("stream", (stream: ServerHttp2Stream) => resolve(serveLine(line, stream, context, 1000)));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const session = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  onTestFinished(() => {
    session.destroy();
    server.close();
  });
  return { stream: session.request({ ":method": "POST", ":path": "/" }), served };
}

function beat(number: number, troubles: string[] = []): Buffer {
  const message = { case: "beat", value: { number: BigInt(number), status: { troubles } } } as const;
  return framed(0, toBinary(ControlRequestSchema, create(ControlRequestSchema, { message })));
}

function framed(flags: number, message: Uint8Array): Buffer {
  const head = Buffer.from([flags, 0, 0, 0, 0]);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}

/** The numbers that were heard, and what the last frame says. */
async function heardBy(stream: ClientHttp2Stream): Promise<{ numbers: number[]; end: unknown }> {
  let bytes: Buffer = Buffer.concat(await stream.toArray());
  const numbers: number[] = [];
  for (;;) {
    const end = 5 + bytes.readUInt32BE(1);
    const message = bytes.subarray(5, end);
    if (bytes[0] === 2) return { numbers, end: JSON.parse(String(message)) };
    const answer = fromBinary(ControlResponseSchema, message);
    if (answer.message.case === "beatHeard") numbers.push(Number(answer.message.value.number));
    bytes = bytes.subarray(end);
  }
}

test("messages are read whole, however they were cut on their way", async () => {
  const said = Buffer.concat([beat(1), beat(2, ["x".repeat(300)]), beat(3), beat(4)]);
  for (const size of [1, 4, 5, 7, 100, said.length]) {
    const { stream } = await calling(echo);
    for (let at = 0; at < said.length; at += size) {
      stream.write(said.subarray(at, at + size));
      await new Promise(setImmediate);
    }
    stream.end();
    expect(await heardBy(stream)).toEqual({ numbers: [1, 2, 3, 4], end: {} });
  }
});

test.each([
  ["too long", beat(2, ["x".repeat(2000)]), "resource_exhausted"],
  ["compressed", framed(1, Buffer.alloc(3)), "invalid_argument"],
  ["no message", framed(0, Buffer.alloc(3, 255)), "invalid_argument"],
  ["half a message", beat(2).subarray(0, -1), "invalid_argument"],
])("what is %s ends the line with its reason, after what came before was answered", async (_, bad, code) => {
  const { stream } = await calling(echo);
  stream.end(Buffer.concat([beat(1), bad]));
  expect(await heardBy(stream)).toMatchObject({ numbers: [1], end: { error: { code } } });
});

test("a caller that is gone ends what waits for its next word, as a cut", async () => {
  let why: unknown;
  const { stream, served } = await calling({
    ...echo,
    async *serve(requests, context) {
      try {
        yield* echo.serve(requests as never, context);
      } catch (error) {
        why = error;
      }
    },
  });
  stream.write(beat(1));
  await once(stream, "data");
  stream.session?.destroy();
  await served;
  expect(why).toBeInstanceOf(ConnectError);
  expect((why as ConnectError).rawMessage).toBe("the connection was cut");
});
