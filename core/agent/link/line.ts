import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  constants,
  type OutgoingHttpHeaders,
} from "node:http2";
import {
  create,
  type DescMessage,
  type DescMethodBiDiStreaming,
  fromBinary,
  type MessageInitShape,
  type MessageShape,
  toBinary,
} from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import {
  contentTypeStreamProto,
  endStreamFlag,
  endStreamFromJson,
} from "@connectrpc/connect/protocol-connect";
import { frameOf, framesOf } from "@reeve/protocol/frames";
import { roomIn } from "@reeve/protocol/room-in";

/** Well above what the control plane says at once, such as offers of hundreds of steps with all that they need. */
const mostBytes = 256 * 1024 * 1024;

/**
 * The life line from our end: Connect's words without its machinery, as at the other end (core/control/peers/line.ts). What is answered,
 * until the answer ends; throws what the other side gives as its reason, or that the connection was cut.
 */
export async function* callLine<Input extends DescMessage, Output extends DescMessage>(
  opening: Promise<ClientHttp2Session>,
  { input, output, parent, name }: DescMethodBiDiStreaming<Input, Output>,
  requests: AsyncIterable<MessageInitShape<Input>>,
  { headers, signal }: { readonly headers: OutgoingHttpHeaders; readonly signal: AbortSignal },
): AsyncGenerator<MessageShape<Output>> {
  const session = await unlessAborted(opening, signal);
  const stream = session.request({
    ...headers,
    ":method": "POST",
    ":path": `/${parent.typeName}/${name}`,
    "content-type": contentTypeStreamProto,
    "connect-protocol-version": "1",
  });
  const cut = () => {
    stream.close(constants.NGHTTP2_CANCEL);
    // Its end waits for that word to go out, for ever on a connection that was reset while it began (connection.ts).
    stream.destroy();
  };
  signal.addEventListener("abort", cut);
  // Whoever reads is told of it.
  stream.on("error", () => {});
  say(stream, input, requests).catch((error) => stream.destroy(error));
  try {
    await answered(stream);
    const incoming: AsyncIterable<Buffer> = stream.iterator({ destroyOnReturn: false });
    for await (const { flags, message } of framesOf(incoming, mostBytes)) {
      if (flags !== endStreamFlag) yield fromBinary(output, message);
      else return endStream(message);
    }
    throw wasCut();
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === "ERR_STREAM_PREMATURE_CLOSE" ? wasCut() : error;
  } finally {
    signal.removeEventListener("abort", cut);
    cut();
  }
}

function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const aborted = () => reject(new ConnectError("it was not waited for", Code.Canceled));
    if (signal.aborted) aborted();
    signal.addEventListener("abort", aborted);
    const done = () => signal.removeEventListener("abort", aborted);
    promise.then(resolve, reject).finally(done);
  });
}

async function say<Input extends DescMessage>(
  stream: ClientHttp2Stream,
  schema: Input,
  requests: AsyncIterable<MessageInitShape<Input>>,
): Promise<void> {
  for await (const request of requests) {
    if (stream.destroyed || stream.closed) return;
    if (!stream.write(frameOf(0, toBinary(schema, create(schema, request))))) await roomIn(stream);
  }
  stream.end();
}

/**
 * Resolves when the other side has begun to answer in our words. Our server says everything with status 200: any other is of
 * something on the way to it, and passes.
 */
function answered(stream: ClientHttp2Stream): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  stream.once("response", (headers) => {
    const status = Number(headers[":status"]);
    const type = headers["content-type"];
    if (status !== 200) reject(new ConnectError(`HTTP ${status}`, Code.Unavailable));
    else if (type !== contentTypeStreamProto)
      reject(
        new ConnectError(`it answered with ${type ?? "nothing"}, as no server of ours does`, Code.Unknown),
      );
    else resolve();
  });
  stream.once("error", reject);
  stream.once("close", () => reject(wasCut()));
  return promise;
}

function endStream(message: Buffer): void {
  const { error } = endStreamFromJson(message);
  if (error !== undefined) throw error;
}

const wasCut = () => new ConnectError("the connection was cut", Code.Unavailable);
