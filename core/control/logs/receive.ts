import { create } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import {
  type LogChunk,
  LogHeardSchema,
  LogStream,
  type LogsRequest,
  type LogsResponse,
  LogsResponseSchema,
} from "@reeve/protocol";
import { lengthOf, type SentChunk } from "@reeve/store/logs";
import type { Pace } from "./pace.ts";
import type { LogWriter } from "./writer.ts";

/** Read ahead of what is committed, so that the next batch is on its way meanwhile; the rest waits in the agent. */
const messagesAhead = 8;
const chunkBytes = 1024 * 1024;
const gapCharacters = 500;

/** The Logs stream of one agent: each message is answered in its order, when it is durable. */
export async function* receiveLogs(
  { writer, pace }: { writer: LogWriter; pace: Pace },
  agent: string,
  requests: AsyncIterable<LogsRequest>,
): AsyncGenerator<LogsResponse> {
  const taking = pace.begin(agent);
  try {
    yield* receive(writer, taking, agent, requests);
  } finally {
    taking.end();
  }
}

async function* receive(
  writer: LogWriter,
  taking: ReturnType<Pace["begin"]>,
  agent: string,
  requests: AsyncIterable<LogsRequest>,
): AsyncGenerator<LogsResponse> {
  const incoming = requests[Symbol.asyncIterator]();
  const answers: Promise<LogsResponse>[] = [];
  let next: Promise<IteratorResult<LogsRequest>> | undefined;
  let over = false;
  while (!over || answers.length > 0) {
    if (!over && answers.length < messagesAhead) next ??= taking.room().then(() => incoming.next());
    const [oldest] = answers;
    const first = await Promise.race([
      ...(next === undefined ? [] : [next.then((message) => ({ message }))]),
      ...(oldest === undefined ? [] : [oldest.then((answer) => ({ answer }))]),
    ]);
    if ("answer" in first) {
      void answers.shift();
      yield first.answer;
      continue;
    }
    next = undefined;
    if (first.message.done) over = true;
    else {
      const sent = first.message.value.chunks.map((chunk) => readChunk(agent, chunk));
      taking.took(sent.reduce((sum, chunk) => sum + lengthOf(chunk), 0));
      answers.push(answerTo(writer, first.message.value, sent));
    }
    // A failure is met when its turn comes.
    answers.at(-1)?.catch(() => {});
  }
}

async function answerTo(
  writer: LogWriter,
  { chunks }: LogsRequest,
  sent: readonly SentChunk[],
): Promise<LogsResponse> {
  const written = await writer.write(sent);
  // The last word on each stream is enough.
  const heard = new Map(
    chunks.map((chunk, index) => {
      const { wanted = false, durable = 0, ended = false } = written[index] ?? {};
      const { attempt, stream } = chunk;
      const word = create(LogHeardSchema, {
        ...(attempt && { attempt }),
        stream,
        durable: BigInt(durable),
        ended,
        unwanted: !wanted,
      });
      return [`${attempt?.run} ${attempt?.seq} ${attempt?.epoch} ${stream}`, word];
    }),
  );
  return create(LogsResponseSchema, { heard: [...heard.values()] });
}

const uid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const streams = { [LogStream.STDOUT]: "stdout", [LogStream.STDERR]: "stderr" } as const;

/** Refuses what would make the batch fail, in which the chunks of other agents are as well. */
function readChunk(agent: string, chunk: LogChunk): SentChunk {
  const { attempt, data, endSha256 } = chunk;
  const unpacked = chunk.length || undefined;
  const length = lengthOf({ data, unpacked });
  const offset = Number(chunk.offset);
  const stream = chunk.stream === LogStream.UNSPECIFIED ? undefined : streams[chunk.stream];
  const ends = endSha256.length > 0;
  const sound =
    attempt !== undefined &&
    uid.test(attempt.run) &&
    stream !== undefined &&
    length <= chunkBytes &&
    data.length <= length &&
    Number.isSafeInteger(offset + length) &&
    (!ends || endSha256.length === 32);
  if (!sound) throw new ConnectError("not a chunk of a log", Code.InvalidArgument);
  const { run, seq, epoch } = attempt;
  const gap = chunk.gap.replaceAll("\0", "").slice(0, gapCharacters).toWellFormed();
  return { agent, run, seq, epoch, stream, offset, data, unpacked, gap, ...(ends && { endSha256 }) };
}
