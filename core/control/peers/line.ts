import type { Http2ServerRequest, ServerHttp2Stream } from "node:http2";
import {
  create,
  type DescMessage,
  type DescMethodBiDiStreaming,
  fromBinary,
  type MessageInitShape,
  type MessageShape,
  toBinary,
} from "@bufbuild/protobuf";
import { Code, ConnectError, type HandlerContext } from "@connectrpc/connect";
import { contentTypeStreamProto, endStreamFlag, endStreamToJson } from "@connectrpc/connect/protocol-connect";
import { BrokenFrame, frameOf, framesOf } from "@reeve/protocol/frames";
import { roomIn } from "@reeve/protocol/room-in";
import { cutOf } from "./cut.ts";

/** What is known of a caller before it has said anything. */
export type CallContext = Pick<HandlerContext, "values" | "requestHeader">;

/**
 * A call that thousands hold for as long as they live. It is served in Connect's words but without its machinery: the dozen layers
 * that each message and each waiting reader goes through there are most of what ten thousand agents cost (decision 54).
 */
export interface Line<Input extends DescMessage = DescMessage, Output extends DescMessage = DescMessage> {
  readonly method: DescMethodBiDiStreaming<Input, Output>;
  /** What it throws is a ConnectError. */
  serve(
    requests: AsyncIterable<MessageShape<Input>>,
    context: CallContext,
  ): AsyncIterable<MessageInitShape<Output>>;
}

/** Whether this call is one: everything else is Connect's. */
export function asksFor({ method: call }: Line, { method, url, headers }: Http2ServerRequest): boolean {
  const path = `/${call.parent.typeName}/${call.name}`;
  return method === "POST" && url === path && headers["content-type"] === contentTypeStreamProto;
}

/** Answers until either side ends it; what goes wrong is told in the last frame. */
export async function serveLine(
  line: Line,
  stream: ServerHttp2Stream,
  context: CallContext,
  mostBytes: number,
): Promise<void> {
  const { input, output } = line.method;
  let error: ConnectError | undefined;
  try {
    for await (const answer of line.serve(messagesOf(stream, input, mostBytes), context)) {
      if (stream.destroyed) return;
      await write(stream, 0, toBinary(output, create(output, answer)));
    }
  } catch (thrown) {
    error = ConnectError.from(thrown, Code.Internal);
  }
  if (stream.destroyed || stream.closed) return;
  const end = JSON.stringify(endStreamToJson(new Headers(), error, undefined));
  await write(stream, endStreamFlag, Buffer.from(end));
  stream.end();
}

async function* messagesOf<Input extends DescMessage>(
  stream: ServerHttp2Stream,
  schema: Input,
  mostBytes: number,
): AsyncGenerator<MessageShape<Input>> {
  // What is wrong with a message can still be told.
  const incoming: AsyncIterable<Buffer> = stream.iterator({ destroyOnReturn: false });
  try {
    for await (const { flags, message } of framesOf(incoming, mostBytes)) {
      if (flags !== 0) throw new ConnectError(`a message with flags ${flags}`, Code.InvalidArgument);
      yield read(schema, message);
    }
  } catch (error) {
    if (!(error instanceof BrokenFrame)) throw cutOf(error) ?? error;
    const code = error.reason === "too long" ? Code.ResourceExhausted : Code.InvalidArgument;
    throw new ConnectError(error.message, code);
  }
}

function read<Input extends DescMessage>(schema: Input, message: Uint8Array): MessageShape<Input> {
  try {
    return fromBinary(schema, message);
  } catch (error) {
    throw ConnectError.from(error, Code.InvalidArgument);
  }
}

async function write(stream: ServerHttp2Stream, flags: number, message: Uint8Array): Promise<void> {
  if (!stream.headersSent) stream.respond({ "content-type": contentTypeStreamProto });
  if (!stream.write(frameOf(flags, message))) await roomIn(stream);
}
