import { join } from "node:path";
import { type Offer, Ruling, type Stop, type Verdict, type Welcome } from "@reeve/protocol/agent";
import { type AttemptKey, keyText } from "./attempt-key.ts";
import type { Attempts, Ending } from "./attempts/attempts.ts";
import type { Disk } from "./disk.ts";
import type { Link } from "./link/link.ts";
import type { Shipping } from "./logs/shipping.ts";
import { isActive, openPieces, type Piece } from "./pieces.ts";
import type { Order, Spool } from "./spool/spool.ts";
import { bodyOf, finishOf, orderOf, unbegun } from "./wire.ts";

/**
 * What the agent holds, from offer to recorded end. What may happen more than once begins as it comes, and is accepted unless it
 * ends at once: its end says both. What may not, what is exclusive and what needs secrets is spooled, accepted, and begins when
 * that is acknowledged. An end is spooled, then reported until it is acknowledged; that of what ended at once is spooled only if
 * nobody has acknowledged it soon. Whatever was not ruled on is sent again.
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
  /** Before the link says that this process stops: takes nothing more, and tells what has begun or ended, or it would be offered again. */
  leave(): Promise<void>;
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

const answerMs = 15_000;
/** What has begun is accepted so late, as most of what people run many of has ended by then. */
const tellMs = 100;
const graceMs = 10_000;
/** A hello tells of 10,000 attempts at most. */
const mostUnrecorded = 5000;
/** Exclusive attempts are stopped when this part of the lease is left, and killed half way; guard.sh makes sure of it. */
const fenceShare = 1 / 3;

export function openWork(options: WorkOptions): Work {
  const { spool, attempts, shipping, disk, slots } = options;
  const now = options.now ?? (() => performance.now());
  const pieces = openPieces();
  let telling = false;
  let told = Promise.resolve();
  const reports = new Set<Promise<void>>();
  let turn: Promise<void> | undefined;
  let leaving = false;

  function drop(piece: Piece): void {
    if (!pieces.drop(piece)) return;
    spool.forgotten(piece.key);
    attempts.forget(piece.key);
  }

  /** The control plane wants no more of it. */
  function close(piece: Piece): void {
    pieces.close(piece.key);
    drop(piece);
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
    const careful: Piece[] = [];
    for (const offer of offers) {
      const order = orderOf(offer);
      const known = pieces.get(order);
      if (known?.state === "accepting") sendAccepts([known]);
      if (known !== undefined || pieces.isClosed(order)) continue;
      const key = { run: order.run, seq: order.seq, epoch: order.epoch };
      const piece: Piece = { key, order, exclusive: order.exclusive, state: "spooling", sentAt: 0 };
      pieces.hold(piece);
      if (order.atMostOnce || order.exclusive || order.hasSecrets) careful.push(piece);
      else beginAtOnce(piece);
    }
    if (careful.length === 0) return;
    try {
      await spool.accepted(careful.map(({ order }) => order as Order));
    } catch (error) {
      // Not accepted, so it goes back in a while: to an agent that has room.
      disk.failed(error);
      for (const piece of careful) drop(piece);
      return;
    }
    for (const piece of careful) piece.state = "accepting";
    sendAccepts(careful);
  }

  function beginAtOnce(piece: Piece): void {
    piece.state = "running";
    piece.untold = true;
    if (!telling) setTimeout(() => (told = told.then(tell)), tellMs);
    telling = true;
    void start(piece, { with: "", hide: [] });
  }

  /** Accepts what has begun and goes on; writes down what has ended, and is reported, but not acknowledged so far. */
  async function tell(): Promise<void> {
    telling = false;
    const untold = pieces.all().filter((piece) => piece.untold);
    for (const piece of untold) delete piece.untold;
    const begun = untold.filter(isActive);
    // On a full disk, too: it runs or ran, whatever our spool says.
    await Promise.all([
      ...(begun.length > 0 ? [spool.accepted(begun.map(({ order }) => order as Order))] : []),
      ...untold.flatMap(({ key, ending }) => (ending === undefined ? [] : [spool.ended(key, ending)])),
    ]).catch((error) => disk.failed(error));
    sendAccepts(begun.filter(({ state }) => state === "running"));
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

  async function start(piece: Piece, verdict: Pick<Verdict, "with" | "hide">): Promise<void> {
    const { key, order } = piece;
    if (order === undefined) return;
    // We may have slept since the accept was acknowledged. It is repeated, and then it is known whose this is.
    if (piece.exclusive && isFenceDue()) {
      piece.state = "accepting";
      return;
    }
    if (piece.stopped !== undefined || piece.fenced)
      return ended(key, unbegun("cancelled", piece.stopped ?? ""));
    const given = bodyOf(verdict.with || order.with);
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

  function ended(key: AttemptKey, told: Ending): void {
    const piece = pieces.get(key) ?? pieces.hold({ key, exclusive: false, state: "running", sentAt: 0 });
    shipRest(piece);
    if (piece.ending !== undefined) return;
    if (piece.fenced) {
      close(piece);
      return;
    }
    if (told.noRoom) disk.failed(told.why);
    // Another agent may have room. What may happen once would wait for a person if we said so.
    const elsewhere = told.noRoom && told.outcome === "failed" && piece.order?.atMostOnce === false;
    const ending: Ending = elsewhere ? { ...told, outcome: "lost" } : told;
    pieces.end(piece, ending);
    const reported = report(piece, ending).finally(() => reports.delete(reported));
    reports.add(reported);
  }

  async function report(piece: Piece, ending: Ending): Promise<void> {
    if (piece.untold) await endOfTurn();
    // On a full disk it is reported from memory: the control plane's record is as good as ours.
    else await spool.ended(piece.key, ending).catch((error) => disk.failed(error));
    piece.state = "ended";
    if (pieces.get(piece.key) === piece) sendFinishes([piece]);
  }

  /** Those that end in one turn of the loop are reported together. */
  function endOfTurn(): Promise<void> {
    turn ??= new Promise((resolve) => setImmediate(resolve)).then(() => {
      turn = undefined;
    });
    return turn;
  }

  function fence(piece: Piece): void {
    piece.fenced = true;
    if (piece.state !== "running") close(piece);
    else {
      // Of what is exclusive the other attempt may have begun.
      const fencedMs = piece.exclusive ? 0 : graceMs;
      attempts.stop(piece.key, fencedMs, "the control plane has given this step to another attempt");
    }
  }

  const fenceMs = () => options.link().leaseMs * fenceShare;
  const isFenceDue = () => options.link().leaseLeftMs() <= fenceMs();

  const named = (keys: readonly AttemptKey[]) => keys.flatMap((key) => pieces.get(key) ?? []);

  return {
    inventory: () =>
      pieces
        .all()
        .filter(({ state }) => state !== "spooling")
        .map(({ key }) => key),
    freeSlots() {
      // Ends that nobody records must not pile up without bound.
      const room = pieces.size - pieces.active < mostUnrecorded;
      return room && disk.trouble === undefined ? Math.max(0, slots - pieces.active) : 0;
    },
    async resume() {
      for (const { key, order, ending } of spool.left) {
        const held = { key, ...(order && { order }), exclusive: order?.exclusive === true, sentAt: 0 };
        pieces.hold(ending ? { ...held, state: "ended", ending } : { ...held, state: "running" });
      }
      await attempts.adopt();
      const adopted = new Map(attempts.held().map((one) => [keyText(one.key), one]));
      for (const { key, exclusive } of adopted.values())
        if (pieces.get(key) === undefined) pieces.hold({ key, exclusive, state: "running", sentAt: 0 });
      for (const { key, begun } of spool.left) {
        const piece = pieces.get(key);
        if (piece?.state !== "running") continue;
        if (adopted.has(keyText(key))) watch(piece);
        else if (begun)
          ended(piece.key, unbegun("lost", "the agent was restarted while it ran inside of it"));
        else piece.state = "accepting";
      }
    },
    welcome({ fenced, known }) {
      for (const piece of named(fenced)) fence(piece);
      // What was settled without us while it runs, as a cancel while we were lost, ends too: nobody wants to hear how.
      for (const piece of named(known)) isActive(piece) ? fence(piece) : close(piece);
      sendAccepts(pieces.all().filter(({ state }) => state === "accepting"));
      sendFinishes(pieces.all().filter(({ state }) => state === "ended"));
    },
    offers: (offers) => void take(disk.trouble === undefined && !leaving ? offers : []),
    verdicts(verdicts) {
      const begun: { piece: Piece; verdict: Verdict }[] = [];
      for (const verdict of verdicts) {
        const piece = verdict.attempt && pieces.get(verdict.attempt);
        if (piece === undefined) continue;
        // An end that is recorded while it runs was another's: nobody wants to hear how this one ends.
        if (verdict.ruling === Ruling.FENCED || (verdict.onFinish && isActive(piece))) fence(piece);
        else if (verdict.onFinish) close(piece);
        else if (piece.state === "accepting") {
          piece.state = "running";
          begun.push({ piece, verdict });
        }
      }
      void begin(begun);
    },
    stops(stops) {
      for (const { attempt, graceMs, why } of stops) {
        const piece = attempt && pieces.get(attempt);
        if (piece === undefined) {
          // We never began it, and nobody else can say so; its offer, if it comes after this, is void.
          if (attempt) {
            pieces.close(attempt);
            options.link().finish([finishOf(attempt, unbegun("cancelled", why))]);
          }
          continue;
        }
        piece.stopped = why;
        attempts.stop(piece.key, graceMs, why);
      }
    },
    ended,
    tend() {
      const late = pieces.all().filter(({ sentAt }) => now() - sentAt > answerMs);
      if (options.link().connected) {
        sendAccepts(late.filter(({ state }) => state === "accepting"));
        sendFinishes(late.filter(({ state }) => state === "ended"));
      }
      if (!isFenceDue()) return;
      for (const piece of pieces.all()) {
        if (!piece.exclusive || piece.state !== "running" || piece.fencedItself) continue;
        piece.fencedItself = true;
        const why = "it stopped itself: the control plane was away for too long";
        attempts.stop(piece.key, fenceMs() / 2, why, "lost");
      }
    },
    async leave() {
      leaving = true;
      await told.then(tell);
      await Promise.all(reports);
    },
    async stopAll(why) {
      for (const piece of pieces.all()) {
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
