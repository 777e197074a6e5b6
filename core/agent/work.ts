import { join } from "node:path";
import type { JsonObject } from "@reeve/model";
import { type Offer, Ruling, type Stop, type Verdict, type Welcome } from "@reeve/protocol/agent";
import { type AttemptKey, keyText } from "./attempt-key.ts";
import type { Attempts, Ending } from "./attempts/attempts.ts";
import type { Disk } from "./disk.ts";
import type { Link } from "./link/link.ts";
import type { Shipping } from "./logs/shipping.ts";
import type { Order, Spool } from "./spool/spool.ts";
import { finishOf, orderOf } from "./wire.ts";

/**
 * What the agent holds, from offer to recorded end. An offer is spooled, then accepted, and begins when the accept is
 * acknowledged; an end is spooled, then reported until it is acknowledged. Whatever was not ruled on is sent again.
 */
export interface Work {
  inventory(): AttemptKey[];
  freeSlots(): number;
  /** What a former process left: before the first hello. */
  resume(): Promise<void>;
  welcome(welcome: Pick<Welcome, "fenced" | "known">): void;
  offers(offers: readonly Offer[]): void;
  verdicts(verdicts: readonly Verdict[]): void;
  stops(stops: readonly Stop[]): void;
  ended(key: AttemptKey, ending: Ending): void;
  /** Now and then: repeats what nobody answered, and stops exclusive attempts whose lease may be running out. */
  tend(): void;
  /** The agent has no right to run anything any more. Resolves when all attempts have ended. */
  stopAll(why: string): Promise<void>;
}

export interface WorkOptions {
  readonly spool: Spool;
  readonly attempts: Attempts;
  readonly shipping: Shipping;
  readonly disk: Pick<Disk, "trouble" | "failed">;
  readonly slots: number;
  readonly link: () => Link;
  readonly now?: () => number;
}

interface Piece {
  readonly key: AttemptKey;
  readonly exclusive: boolean;
  /** Absent when the spool was lost and only the attempt's folder told of it. */
  readonly order?: Order;
  state: "spooling" | "accepting" | "running" | "ending" | "ended";
  /** When the accept or finish was last sent. */
  sentAt: number;
  ending?: Ending;
  /** Why it must not begin, though the accept may yet be acknowledged. */
  stopped?: string;
  /** Not ours any more: nobody wants to hear how it ends. */
  fenced?: true;
  fencedItself?: true;
  watched?: true;
  shipsRest?: true;
}

const answerMs = 15_000;
const graceMs = 10_000;
/** A hello tells of 10,000 attempts at most. */
const mostUnrecorded = 5000;
/** Exclusive attempts are stopped when this part of the lease is left, and killed half way; guard.sh makes sure of it. */
const fenceShare = 1 / 3;

export function openWork(options: WorkOptions): Work {
  const { spool, attempts, shipping, disk, slots } = options;
  const now = options.now ?? (() => performance.now());
  const pieces = new Map<string, Piece>();
  /** How many have not ended: those take a slot. */
  let active = 0;
  const isActive = ({ ending }: Piece) => ending === undefined;

  function hold(piece: Piece): Piece {
    pieces.set(keyText(piece.key), piece);
    if (isActive(piece)) active++;
    return piece;
  }

  function drop(piece: Piece): void {
    if (!pieces.delete(keyText(piece.key))) return;
    if (isActive(piece)) active--;
    spool.forgotten(piece.key);
    attempts.forget(piece.key);
  }

  function sendAccepts(some: readonly Piece[]): void {
    if (some.length === 0) return;
    for (const piece of some) piece.sentAt = now();
    options.link().accept(some.map(({ key }) => key));
  }

  function sendFinishes(some: readonly Piece[]): void {
    if (some.length === 0) return;
    for (const piece of some) piece.sentAt = now();
    options.link().finish(some.map(({ key, ending }) => finishOf(key, ending as Ending)));
  }

  async function take(offers: readonly Offer[]): Promise<void> {
    const fresh: Piece[] = [];
    for (const offer of offers) {
      const order = orderOf(offer);
      const known = pieces.get(keyText(order));
      if (known?.state === "accepting") sendAccepts([known]);
      if (known !== undefined) continue;
      const key = { run: order.run, seq: order.seq, epoch: order.epoch };
      const piece: Piece = { key, order, exclusive: order.exclusive, state: "spooling", sentAt: 0 };
      hold(piece);
      fresh.push(piece);
    }
    try {
      if (fresh.length > 0) await spool.accepted(fresh.map(({ order }) => order as Order));
    } catch (error) {
      // Not accepted, so it goes back in a while: to an agent that has room.
      disk.failed(error);
      for (const piece of fresh) drop(piece);
      return;
    }
    for (const piece of fresh) piece.state = "accepting";
    sendAccepts(fresh);
  }

  async function begin(begun: readonly { piece: Piece; verdict: Verdict }[]): Promise<void> {
    const once = begun.filter(({ piece }) => piece.order?.atMostOnce).map(({ piece }) => piece.key);
    try {
      if (once.length > 0) await spool.begun(once);
    } catch (error) {
      // It could begin twice if we died now. The accept is repeated, and by then there may be room.
      disk.failed(error);
      for (const { piece } of begun) if (piece.order?.atMostOnce) piece.state = "accepting";
    }
    for (const { piece, verdict } of begun)
      if (piece.state === "running" && piece.ending === undefined) void start(piece, verdict);
  }

  async function start(piece: Piece, verdict: Verdict): Promise<void> {
    const { key, order } = piece;
    if (order === undefined) return;
    if (piece.stopped !== undefined || piece.fenced)
      return ended(key, unbegun("cancelled", piece.stopped ?? ""));
    const given = asObject(verdict.with || order.with);
    if (given === undefined)
      return ended(key, { ...unbegun("failed", "the order cannot be read"), final: true });
    await attempts.start({ ...order, with: given, hide: verdict.hide });
    watch(piece);
  }

  function watch(piece: Piece): void {
    const output = piece.watched ? undefined : attempts.output(piece.key);
    if (output === undefined) return;
    piece.watched = true;
    const { folder, hide } = output;
    shipping.watch(piece.key, { out: join(folder, "out"), err: join(folder, "err"), hide });
  }

  /** Also of one whose end is in the spool already: a former process may have died before its output was shipped. */
  function shipRest(piece: Piece): void {
    if (piece.shipsRest) return;
    piece.shipsRest = true;
    const { key } = piece;
    watch(piece);
    if (piece.watched) {
      shipping.ended(key);
      void shipping.shipped(key).then(() => attempts.shipped(key));
    } else attempts.shipped(key);
  }

  function ended(key: AttemptKey, ending: Ending): void {
    const piece = pieces.get(keyText(key)) ?? hold({ key, exclusive: false, state: "running", sentAt: 0 });
    shipRest(piece);
    if (piece.ending !== undefined) return;
    if (piece.fenced) {
      drop(piece);
      return;
    }
    piece.ending = ending;
    piece.state = "ending";
    active--;
    void report(piece, ending);
  }

  async function report(piece: Piece, ending: Ending): Promise<void> {
    // On a full disk it is reported from memory: the control plane's record is as good as ours.
    await spool.ended([{ key: piece.key, ending }]).catch((error) => disk.failed(error));
    piece.state = "ended";
    if (pieces.has(keyText(piece.key))) sendFinishes([piece]);
  }

  function fence(piece: Piece): void {
    piece.fenced = true;
    if (piece.state !== "running") drop(piece);
    else attempts.stop(piece.key, graceMs, "the control plane has given this step to another attempt");
  }

  const named = (keys: readonly AttemptKey[]) => keys.flatMap((key) => pieces.get(keyText(key)) ?? []);

  return {
    inventory: () => [...pieces.values()].filter(({ state }) => state !== "spooling").map(({ key }) => key),
    freeSlots() {
      // Ends that nobody records must not pile up without bound.
      const room = pieces.size - active < mostUnrecorded;
      return room && disk.trouble === undefined ? Math.max(0, slots - active) : 0;
    },
    async resume() {
      for (const { order, ending } of spool.left) {
        const { run, seq, epoch, exclusive } = order;
        const held = { key: { run, seq, epoch }, order, exclusive, sentAt: 0 };
        hold(ending ? { ...held, state: "ended", ending } : { ...held, state: "running" });
      }
      await attempts.adopt();
      const adopted = new Map(attempts.held().map((one) => [keyText(one.key), one]));
      for (const [text, { key, exclusive }] of adopted)
        if (!pieces.has(text)) hold({ key, exclusive, state: "running", sentAt: 0 });
      for (const { order, begun } of spool.left) {
        const piece = pieces.get(keyText(order));
        if (piece?.state !== "running") continue;
        if (adopted.has(keyText(order))) watch(piece);
        else if (begun)
          ended(piece.key, unbegun("lost", "the agent was restarted while it ran inside of it"));
        else piece.state = "accepting";
      }
    },
    welcome({ fenced, known }) {
      for (const piece of named(fenced)) fence(piece);
      for (const piece of named(known)) if (!isActive(piece)) drop(piece);
      sendAccepts([...pieces.values()].filter(({ state }) => state === "accepting"));
      sendFinishes([...pieces.values()].filter(({ state }) => state === "ended"));
    },
    offers: (offers) => void take(disk.trouble === undefined ? offers : []),
    verdicts(verdicts) {
      const begun: { piece: Piece; verdict: Verdict }[] = [];
      for (const verdict of verdicts) {
        const piece = verdict.attempt && pieces.get(keyText(verdict.attempt));
        if (piece === undefined) continue;
        if (verdict.ruling === Ruling.FENCED) fence(piece);
        else if (verdict.onFinish) drop(piece);
        else if (piece.state === "accepting") {
          piece.state = "running";
          begun.push({ piece, verdict });
        }
      }
      void begin(begun);
    },
    stops(stops) {
      for (const { attempt, graceMs, why } of stops) {
        const piece = attempt && pieces.get(keyText(attempt));
        if (piece === undefined) {
          // It was accepted and then refused to us: we never began it, and nobody else can say so.
          if (attempt) options.link().finish([finishOf(attempt, unbegun("cancelled", why))]);
          continue;
        }
        piece.stopped = why;
        attempts.stop(piece.key, graceMs, why);
      }
    },
    ended,
    tend() {
      const late = [...pieces.values()].filter(({ sentAt }) => now() - sentAt > answerMs);
      if (options.link().connected) {
        sendAccepts(late.filter(({ state }) => state === "accepting"));
        sendFinishes(late.filter(({ state }) => state === "ended"));
      }
      const fenceMs = options.link().leaseMs * fenceShare;
      if (options.link().leaseLeftMs() > fenceMs) return;
      for (const piece of pieces.values()) {
        if (!piece.exclusive || piece.state !== "running" || piece.fencedItself) continue;
        piece.fencedItself = true;
        const why = "it stopped itself: the control plane was away for too long";
        attempts.stop(piece.key, fenceMs / 2, why, "lost");
      }
    },
    async stopAll(why) {
      for (const piece of pieces.values()) {
        piece.stopped = why;
        piece.fenced = true;
        if (piece.state === "running") attempts.stop(piece.key, graceMs, why);
        else drop(piece);
      }
      const giveUp = now() + 2 * graceMs;
      while (pieces.size > 0 && now() < giveUp) await new Promise((resolve) => setTimeout(resolve, 50));
    },
  };
}

function unbegun(outcome: Ending["outcome"], why: string): Ending {
  return { outcome, why, endedAt: new Date(), final: false };
}

function asObject(text: string): JsonObject | undefined {
  try {
    return JSON.parse(text) as JsonObject;
  } catch {
    return undefined;
  }
}
