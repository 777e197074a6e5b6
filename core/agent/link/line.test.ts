import { once } from "node:events";
import { type ClientHttp2Session, connect, createServer, type ServerHttp2Stream } from "node:http2";
import type { AddressInfo } from "node:net";
import { Duplex } from "node:stream";
import { create, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { AgentService, type ControlRequestSchema, ControlResponseSchema } from "@reeve/protocol/agent";
import { frameOf, framesOf } from "@reeve/protocol/frames";
import { expect, onTestFinished, test } from "vitest";
import { callLine } from "./line.ts";

type Serve = (stream: ServerHttp2Stream, path: string) => unknown;

/** A line to somebody who serves as a test says; the numbers of the beats that were answered. */
async function calling(serve: Serve, requests = beats(3), signal = new AbortController().signal) {
  const server = createServer();
  server.on("stream", (stream: ServerHttp2Stream, headers) => {
    stream.on("error", () => {});
    serve(stream, String(headers[":path"]));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const session: ClientHttp2Session = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  session.on("error", () => {});
  onTestFinished(() => {
    session.destroy();
    server.close();
  });
  const heard: number[] = [];
  const call = { headers: {}, signal };
  const done = (async () => {
    for await (const { message } of callLine(
      Promise.resolve(session),
      AgentService.method.control,
      requests,
      call,
    ))
      if (message.case === "beatHeard") heard.push(Number(message.value.number));
  })();
  done.catch(() => {});
  return { heard, done };
}

async function* beats(count: number): AsyncGenerator<MessageInitShape<typeof ControlRequestSchema>> {
  for (let number = 1; number <= count; number++)
    yield { message: { case: "beat", value: { number: BigInt(number) } } };
}

function heardFrame(number: number): Buffer {
  const message = { case: "beatHeard", value: { number: BigInt(number), leaseMs: 1 } } as const;
  return frameOf(0, toBinary(ControlResponseSchema, create(ControlResponseSchema, { message })));
}

const begin = (stream: ServerHttp2Stream) => stream.respond({ "content-type": "application/connect+proto" });
const lastFrame = (words: object) => frameOf(2, Buffer.from(JSON.stringify(words)));

test("each message arrives whole, and so does each answer, however it is cut on its way", async () => {
  const paths: string[] = [];
  const { heard, done } = await calling(async (stream, path) => {
    paths.push(path);
    begin(stream);
    let count = 0;
    for await (const _ of framesOf(stream, 1000)) {
      for (const byte of heardFrame(++count)) {
        stream.write(Buffer.from([byte]));
        await new Promise(setImmediate);
      }
    }
    stream.end(lastFrame({}));
  });
  await done;
  expect(heard).toEqual([1, 2, 3]);
  expect(paths).toEqual(["/reeve.v1.AgentService/Control"]);
});

test("what the other side says last is the reason, after what it said before", async () => {
  const { heard, done } = await calling((stream) => {
    begin(stream);
    stream.write(heardFrame(7));
    stream.end(lastFrame({ error: { code: "unauthenticated", message: "who are you" } }));
  });
  await expect(done).rejects.toMatchObject({ code: Code.Unauthenticated, rawMessage: "who are you" });
  expect(heard).toEqual([7]);
});

test.each([
  ["refuses", (stream: ServerHttp2Stream) => stream.respond({ ":status": 404 }, { endStream: true }), 14],
  ["is a proxy", (stream: ServerHttp2Stream) => stream.respond({ ":status": 401 }, { endStream: true }), 14],
  ["is none of ours", (stream: ServerHttp2Stream) => stream.respond({ "content-type": "text/html" }), 2],
  ["resets it", (stream: ServerHttp2Stream) => stream.close(2), 2],
  ["is cut before it answers", (stream: ServerHttp2Stream) => stream.session?.destroy(), 14],
  [
    "ends without a last word",
    (stream: ServerHttp2Stream) => {
      begin(stream);
      stream.end(heardFrame(1));
    },
    14,
  ],
])("who %s is told apart", async (_, serve, code) => {
  const { done } = await calling(serve);
  const error = await done.catch((thrown: unknown) => ConnectError.from(thrown));
  expect(error).toMatchObject({ code });
});

test("who gives up hears no more, and the other side knows", async () => {
  const giveUp = new AbortController();
  const left = Promise.withResolvers<void>();
  async function* silent(): AsyncGenerator<never> {
    await new Promise(() => {});
  }
  const { heard, done } = await calling(
    (stream) => {
      stream.on("close", left.resolve);
      begin(stream);
      stream.write(heardFrame(1));
    },
    silent(),
    giveUp.signal,
  );
  await expect.poll(() => heard).toEqual([1]);
  giveUp.abort();
  await expect(done).rejects.toThrow();
  await left.promise;
});

test("who gives up is not kept by a connection that is dead and does not say so", async () => {
  const takesNothing = new Duplex({ read() {}, write() {} });
  const session = connect("http://nowhere", { createConnection: () => takesNothing });
  onTestFinished(() => session.destroy());
  const giveUp = new AbortController();
  const call = { headers: {}, signal: giveUp.signal };
  const line = callLine(Promise.resolve(session), AgentService.method.control, beats(1), call);
  const answer = line.next();
  setTimeout(giveUp.abort.bind(giveUp), 50);
  await expect(answer).rejects.toThrow("the connection was cut");
});

test("a message that cannot be sent ends the line with its reason", async () => {
  async function* wrong() {
    yield { message: { case: "beat", value: { number: "many" } } } as never;
  }
  const { done } = await calling(begin, wrong());
  await expect(done).rejects.toThrow(/number/);
});
