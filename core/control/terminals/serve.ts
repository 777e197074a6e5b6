import { setTimeout as sleep } from "node:timers/promises";
import { Fault, newUid, readInput, showSubject } from "@reeve/model";
import { endRecording, readResource, type Sql } from "@reeve/store";
import type { WebSocket } from "ws";
import { z } from "zod";
import type { Context } from "../context.ts";
import type { Arrival } from "../doors/gate.ts";
import { problemOf } from "../doors/rest/problem.ts";
import { verbRefusal } from "../operations/get.ts";
import { refuse } from "../operations/mutate.ts";
import { record } from "../operations/record.ts";
import type { Heard, Said, Tunnel } from "../tunnels/tunnel.ts";
import { watchRights } from "../watch/rights.ts";
import { type Inbox, openInbox } from "./inbox.ts";
import { openRecorder, type Recorder } from "./recorder.ts";
import { type TicketFor, useTicket } from "./tickets.ts";

const side = z.int().min(1).max(1000);
const size = z.strictObject({ rows: side, columns: side });
/** Of a terminal whose person has none. */
const usualSize = { rows: 24, columns: 80 };
const opening = z.strictObject({ ticket: z.string().max(200), size: size.optional() });
const word = z.union([z.strictObject({ size }), z.strictObject({ done: z.literal(true) })]);

const openMs = 10_000;
const pingMs = 30_000;

/**
 * One terminal. First the person shows a ticket, as `{ ticket, size }`; then bytes are what is typed and, with a first byte of 1
 * or 2, what was written to stdout or stderr. Texts are JSON: `{ size }` and `{ done: true }` from the person, `{ opened }` and at
 * last `{ end }` or `{ problem }` to them.
 */
export async function serveTerminal(context: Context, arrival: Arrival, ws: WebSocket): Promise<void> {
  const tell = (body: object) => new Promise<void>((told) => ws.send(JSON.stringify(body), () => told()));
  const inbox = openInbox(ws);
  let tunnel: Tunnel | undefined;
  ws.on("error", () => ws.terminate());
  ws.on("close", () => tunnel?.close());
  try {
    const { ticket, size } = readInput(opening, JSON.parse(await firstText(inbox)));
    const what = await admit(context, arrival, ticket);
    const opens = { opens: what.opens, with: JSON.stringify({ ...what.with, ...(size && { size }) }) };
    const recorder = await recorderFor(context, arrival, what, size ?? usualSize);
    tunnel = await context.tunnels.open(what.agent, opens).catch(async (error: unknown) => {
      if (recorder) await endRecording(context.database, recorder.id, (await recorder.end()) ?? null);
      throw error;
    });
    if (ws.readyState !== ws.OPEN) tunnel.close();
    await tell({ opened: { host: what.host, recorded: recorder !== undefined } });
    await pass(context, arrival, { ws, inbox, tunnel, recorder }, what);
  } catch (error) {
    const fault =
      error instanceof SyntaxError ? new Fault("invalid", "the first message is not JSON") : error;
    if (!(fault instanceof Fault)) context.log.error({ err: error }, "a terminal failed");
    await tell({ problem: problemOf(fault, arrival.origin.requestId).body });
  }
  ws.close();
}

/** Whoever was refused is recorded. */
async function admit(context: Context, arrival: Arrival, text: string): Promise<TicketFor> {
  const caller = arrival.caller as NonNullable<Arrival["caller"]>;
  const what = await useTicket(context.database, caller, text).catch((error: unknown) => {
    if (!(error instanceof Fault)) throw error;
    return refuse(context, arrival, "open", { kind: "Route", scope: "", name: "/api/v1/terminals" }, error);
  });
  const resource = await readResource(context.database, what.at);
  const fault = verbRefusal(context, caller, what.at, what.verb, resource);
  return fault === undefined ? what : refuse(context, arrival, what.verb, what.at, fault);
}

/** Where it has to be recorded it is not opened without. */
async function recorderFor(
  { database }: Context,
  { caller }: Arrival,
  { recording: id, at, verb, host, asked: detail }: TicketFor,
  size: { readonly rows: number; readonly columns: number },
): Promise<Recorder | undefined> {
  if (id === undefined || caller === undefined) return undefined;
  const subject = showSubject(caller.subject);
  return openRecorder(database, { id, ...at, verb, host, subject, detail }, size);
}

async function firstText(inbox: Inbox): Promise<string> {
  const late = sleep(openMs, undefined, { ref: false }).then(() => ({
    done: true as const,
    value: undefined,
  }));
  const first = await Promise.race([inbox.next(), late]);
  if (first.done) throw new Fault("invalid", "the ticket did not come in time");
  return String(first.value.data);
}

interface Open {
  readonly ws: WebSocket;
  readonly inbox: Inbox;
  readonly tunnel: Tunnel;
  readonly recorder: Recorder | undefined;
}

/** Bytes both ways until either end goes, or the person may not go on. Its end is recorded, however it came. */
async function pass(
  context: Context,
  arrival: Arrival,
  { ws, inbox, tunnel, recorder }: Open,
  what: TicketFor,
): Promise<void> {
  const since = Date.now();
  let ended: { exitCode?: number; why?: string } =
    ws.readyState === ws.OPEN ? {} : { why: "the person left" };
  const stop = (why: string) => {
    ended = { why };
    tunnel.close();
  };
  const resource = await readResource(context.database, what.at);
  const refusal = (caller: Arrival["caller"]) => verbRefusal(context, caller, what.at, what.verb, resource);
  const rights = watchRights(context, { ...arrival, refusal }, (fault) => stop(fault.message));
  void recorder?.lost.then(stop);
  void passTyped(inbox, tunnel, recorder, stop);
  const stopPings = keepAlive(ws);
  ws.once("close", () => {
    ended.why ??= "the person left";
  });
  try {
    for await (const heard of tunnel.heard) {
      if (ended.why !== undefined) break;
      if (heard.case === "end") ended = endOf(heard);
      else {
        await recorder?.shown(heard.value);
        await show(ws, heard);
      }
    }
    if (Object.keys(ended).length === 0)
      ended = { why: "the host's agent was lost, and what ran there was ended" };
  } finally {
    tunnel.close();
    rights.leave();
    stopPings();
    const digest = await recorder?.end();
    const recording = recorder && {
      recording: recorder.id,
      ...(digest && { sha256: digest.toString("hex") }),
    };
    const seconds = Math.round((Date.now() - since) / 100) / 10;
    const detail = { host: what.host, seconds, ...ended, ...recording };
    const deed = { ...what.at, uid: what.uid, operation: `${what.verb}-end`, detail };
    // The request is another one than that which gave the ticket.
    const origin = { ...arrival.origin, requestId: newUid() };
    const also = async (sql: Sql) => {
      if (recorder) await endRecording(sql, recorder.id, digest ?? null);
    };
    await record(context, { caller: arrival.caller, origin }, deed, also).catch((error: unknown) =>
      context.log.error({ err: error }, "the end of a terminal could not be recorded"),
    );
  }
  await new Promise<void>((told) => ws.send(JSON.stringify({ end: ended }), () => told()));
}

function endOf({ value }: Extract<Heard, { case: "end" }>): { exitCode?: number; why?: string } {
  if (value.exitCode !== undefined) return { exitCode: value.exitCode };
  return { why: value.why || "it has ended" };
}

/** Resolves when it was sent: a slow reader holds back its own terminal and nothing else. */
function show(ws: WebSocket, { case: stream, value }: Exclude<Heard, { case: "end" }>): Promise<void> {
  const bytes = Buffer.concat([Buffer.of(stream === "errors" ? 2 : 1), value]);
  return new Promise((sent) => ws.send(bytes, () => sent()));
}

async function passTyped(
  inbox: Inbox,
  tunnel: Tunnel,
  recorder: Recorder | undefined,
  stop: (why: string) => void,
): Promise<void> {
  for (let next = await inbox.next(); !next.done; next = await inbox.next()) {
    const { data, isBinary } = next.value;
    try {
      const said: Said = isBinary ? { case: "data", value: data } : readWord(String(data));
      if (said.case === "size") recorder?.resized(said.value);
      await tunnel.say(said);
    } catch {
      return stop("a message was not understood");
    }
  }
}

function readWord(text: string): Said {
  const said = readInput(word, JSON.parse(text));
  return "size" in said ? { case: "size", value: said.size } : { case: "done", value: true };
}

/** A dead network says nothing for hours. */
function keepAlive(ws: WebSocket): () => void {
  let alive = true;
  ws.on("pong", () => {
    alive = true;
  });
  const pinging = setInterval(() => {
    if (!alive && !ws.isPaused) return ws.terminate();
    alive = false;
    ws.ping();
  }, pingMs);
  return () => clearInterval(pinging);
}
