import { isUtf8 } from "node:buffer";
import { type Caller, Fault, type LogEnd, type LogGap, type LogPiece } from "@reeve/model";
import { type LoggedAttempt, readLogEnd } from "@reeve/store/logs";
import type { RunRead } from "@reeve/store/runs";
import type { Context } from "../context.ts";
import type { Credential } from "../guard/identity.ts";
import { type EventOut, eventText, type RouteAnswer } from "../route.ts";
import { runRefusal } from "../runs/find.ts";
import { attend } from "../watch/attend.ts";
import { type Bell, openBell } from "./bell.ts";
import { isLost, isWhole, lostText } from "./lost.ts";
import { type LogPart, type LogQuery, readLog } from "./read.ts";
import { openSources, sourceOf } from "./sources.ts";

interface Follower {
  readonly caller: Caller | undefined;
  readonly credential: Credential | undefined;
}

/** How often it is looked whether the run has ended, which no output tells. */
const endLookMs = 1000;
/** Output of an attempt that ended with the run may still be on its way: if there is any, or when it is sure to come. */
const lateMs = 2000;
const giveUpMs = 60_000;

/**
 * Output as it comes, from any place, by whichever replica: `piece`, `gap`, `ended` for a stream that is complete, `note` for
 * what a person should know. Ends when the run, or the step, has ended and all its output is there. A reader that was cut off
 * comes back with the id of the last event.
 */
export function followLog(
  context: Context,
  follower: Follower,
  { run, graph }: RunRead,
  query: LogQuery,
  after: number,
): NonNullable<RouteAnswer["events"]> {
  return (out) => {
    const bell = openBell();
    const leaveNews = context.logs.news.about(run.id, bell.ring);
    const over = new AbortController();
    const refusal = (caller: Caller | undefined) => runRefusal(caller, run.scope, "logs", run.id);
    const attended = attend(context, { ...follower, refusal }, out, () => {
      over.abort();
      leaveNews();
      bell.ring();
    });
    void tellAll({ context, graph, query, after, out: attended, over: over.signal, bell }).catch(
      (error: unknown) => {
        if (!(error instanceof Fault)) context.log.error({ err: error }, "a log cannot be followed");
        attended.end(
          error instanceof Fault
            ? error
            : new Fault("unavailable", "the log cannot be read", { next: "try again" }),
        );
      },
    );
    return attended.leave;
  };
}

interface Telling {
  readonly context: Context;
  readonly graph: RunRead["graph"];
  readonly query: LogQuery;
  readonly after: number;
  readonly out: EventOut;
  readonly over: AbortSignal;
  readonly bell: Bell;
}

async function tellAll({ context, graph, query, out, over, bell, ...from }: Telling): Promise<void> {
  const { database } = context;
  const sources = openSources(database, query.run, graph, query.seq);
  const told = new Set<string>();
  const once = (text: string) => {
    if (!told.has(text)) void out.tell(text);
    told.add(text);
  };
  let { after } = from;
  let closing = false;
  while (!over.aborted) {
    for await (const parts of readLog(context.logs.places, sources, query, after))
      for (const part of parts) {
        if (over.aborted) return;
        await out.tell(partText(part));
        after = part.number;
      }
    const attempts = (await sources.refresh()).filter(
      ({ epoch }) => query.epoch === undefined || epoch === query.epoch,
    );
    for (const attempt of attempts)
      for (const end of endsOf(graph, attempt, query)) once(eventText("ended", end as never));
    const state = await stateOf(context, query, attempts);
    for (const attempt of state.lost) once(noteText(graph, attempt));
    // Once more, for what came between the two looks.
    if (state.done && closing) {
      void out.tell(eventText("done", {}));
      out.end();
      return;
    }
    closing = state.done;
    if (!closing) await bell.wait(endLookMs);
  }
}

async function stateOf({ database }: Context, query: LogQuery, attempts: readonly LoggedAttempt[]) {
  const end = await readLogEnd(database, query.run, query.seq);
  const open = attempts.filter((attempt) => !isWhole(attempt));
  const lost = open.filter(isLost);
  if (end === undefined) return { done: true, lost };
  const awaited = open.length - lost.length + end.promised;
  const waits = awaited > 0 ? giveUpMs : end.silent > 0 ? lateMs : 0;
  return { done: end.sinceMs !== undefined && end.sinceMs >= waits, lost };
}

function endsOf(graph: RunRead["graph"], attempt: LoggedAttempt, { stream }: LogQuery): LogEnd[] {
  const { outBytes, errBytes, outSha256, errSha256 } = attempt;
  const both = [
    { name: "stdout", bytes: outBytes, sha256: outSha256 },
    { name: "stderr", bytes: errBytes, sha256: errSha256 },
  ] as const;
  return both.flatMap(({ name, bytes, sha256 }) =>
    sha256 === null || (stream !== undefined && stream !== name)
      ? []
      : { ...sourceOf(graph, attempt, name), bytes, sha256: sha256.toString("hex") },
  );
}

function noteText(graph: RunRead["graph"], attempt: LoggedAttempt): string {
  const { stream: _, ...source } = sourceOf(graph, attempt, "stdout");
  return eventText("note", { ...source, why: lostText });
}

function partText({ number, source, offset, length, at, bytes, gap }: LogPart): string {
  if (gap !== null) {
    const missing: LogGap = { ...source, chunk: number, offset, length, why: gap };
    return eventText("gap", missing as never, number);
  }
  const shown = isUtf8(bytes) ? { text: bytes.toString() } : { base64: bytes.toString("base64") };
  const piece: LogPiece = { ...source, chunk: number, offset, at, ...shown };
  return eventText("piece", piece as never, number);
}
