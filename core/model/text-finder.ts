import { type Automaton, buildAutomaton, bytesOf, noByte, step } from "./automaton.ts";

/**
 * Finds texts in bytes, as they are and where any of their bytes stands as `%XX`, as in an address: every program leaves other
 * characters alone there, so what it wrote is read, instead of all that it may write being looked for.
 */
export interface Finder {
  /** So many bytes before a place decide what is found after it. */
  readonly longest: number;
  /** What its tables take; it grows with the sum of the lengths of the texts. */
  readonly tableBytes: number;
  /** For bytes that come in pieces, from their beginning. */
  begin(): Search;
}

interface Search {
  /**
   * Tells every occurrence that ends in these bytes; the first `seen` of them are those that had to wait the last time. Returns the
   * place from which on they must wait again, because a text may have begun there;
   * when they are the end, none has.
   */
  look(bytes: Uint8Array, seen: number, found: Found, isEnd: boolean): number;
}

/** Where it begins, and where what follows it begins. */
export type Found = (from: number, to: number) => void;

const percent = 0x25;

/** The texts have 2 to 65535 bytes. */
export function openFinder(texts: readonly Uint8Array[]): Finder {
  const automaton = buildAutomaton(texts);
  const longest = texts.reduce((most, text) => Math.max(most, text.length), 0);
  return {
    // Each byte of a text may be three, and before them may stand the rest of such three.
    longest: longest === 0 ? 0 : 3 * longest + 2,
    tableBytes: bytesOf(automaton),
    begin: () => openSearch(automaton),
  };
}

/** Texts as they are are found in one pass. From a `%XX` on, until nothing is under way that has one in it, there is a second. */
function openSearch(automaton: Automaton): Search {
  const plain = openPlain(automaton);
  let decoding: Decoding | undefined;
  /** Behind the last `%XX`: nothing begins within one. */
  let behind = 0;
  return {
    look(bytes, seen, found, isEnd) {
      let at = seen;
      while (at < bytes.length || decoding !== undefined) {
        if (decoding !== undefined) {
          behind = decoding.goOn(bytes, found, isEnd) ?? behind;
          if (decoding.waits) break;
          decoding = undefined;
        }
        const next = nextEncoded(bytes, Math.max(at, behind), isEnd);
        plain.goOn(bytes, at, next, found);
        at = next;
        if (next === bytes.length) break;
        const state = plain.stateWithin(next - behind);
        if (leadsOn(automaton, state, bytes, next, isEnd)) decoding = openDecoding(automaton, state, next);
        else behind = next + 3;
      }
      plain.goOn(bytes, at, bytes.length, found);
      const waitsFrom = Math.min(bytes.length - plain.depth, decoding?.waitsFrom ?? bytes.length);
      decoding?.leave(waitsFrom);
      behind -= waitsFrom;
      return waitsFrom;
    },
  };
}

/** Most `%XX` are nowhere in a text, which is seen sooner than decoding begins. */
function leadsOn(
  automaton: Automaton,
  state: number,
  bytes: Uint8Array,
  at: number,
  isEnd: boolean,
): boolean {
  if (lengthAt(bytes, at, isEnd) === 0) return true;
  const byte = decoded(bytes, at);
  const next = step(automaton, state, byte);
  const after = bytes[at + 3];
  if (automaton.depth[next] !== 1 || after === undefined || after === percent) return next !== 0;
  return automaton.opening[byte * 256 + after] !== 0;
}

interface Plain {
  goOn(bytes: Uint8Array, from: number, to: number, found: Found): void;
  /** How many bytes may be the beginning of a text. */
  readonly depth: number;
  /** The state, had it begun so many bytes ago. */
  stateWithin(bytes: number): number;
}

function openPlain(automaton: Automaton): Plain {
  const { opening, first, label, fail, depth, ends } = automaton;
  let state = 0;
  return {
    get depth() {
      return depth[state] as number;
    },
    stateWithin(bytes) {
      let within = state;
      while ((depth[within] as number) > bytes) within = fail[within] as number;
      return within;
    },
    goOn(bytes, from, to, found) {
      let at = from;
      while (at < to) {
        if ((depth[state] as number) < 2) {
          // Most bytes of most logs: no text begins with these two.
          let last = at === 0 ? noByte : (bytes[at - 1] as number);
          while (at < to && opening[last * 256 + (bytes[at] as number)] === 0) last = bytes[at++] as number;
          state = last === noByte ? 0 : (first[last] as number);
          if (at === to) return;
        }
        const byte = bytes[at++] as number;
        if (label[state] === byte) state++;
        else state = step(automaton, state, byte);
        if (ends[state] !== 0) found(at - (ends[state] as number), at);
      }
    },
  };
}

interface Decoding {
  /** Returns the place behind the last `%XX`, if there was one. */
  goOn(bytes: Uint8Array, found: Found, isEnd: boolean): number | undefined;
  /** For more bytes: it is not done with what there is. */
  readonly waits: boolean;
  readonly waitsFrom: number;
  /** The bytes before this place will not be given again. */
  leave(place: number): void;
}

/** From a place and the state there. */
function openDecoding(automaton: Automaton, begun: number, place: number): Decoding {
  const { depth, ends } = automaton;
  let state = begun;
  let at = place;
  /** Where each decoded byte stands that is under way, or was. */
  let places: number[] = [];
  for (let before = depth[state] as number; before > 0; before--) places.push(place - before);
  /** So many of them up to the last that was encoded. */
  let encoded = 0;
  let waits = false;
  return {
    get waits() {
      return waits;
    },
    get waitsFrom() {
      return places[places.length - (depth[state] as number)] ?? at;
    },
    goOn(bytes, found, isEnd) {
      let behind: number | undefined;
      do {
        const length = lengthAt(bytes, at, isEnd);
        waits = length === 0;
        if (waits) break;
        places.push(at);
        state = step(automaton, state, length === 3 ? decoded(bytes, at) : (bytes[at] as number));
        at += length;
        if (length === 3) {
          encoded = places.length;
          behind = at;
        }
        const end = ends[state] as number;
        if (end !== 0) found(places[places.length - end] as number, at);
      } while (places.length - (depth[state] as number) < encoded);
      return behind;
    },
    leave(place) {
      const gone = places.length - (depth[state] as number);
      places = places.slice(gone).map((one) => one - place);
      encoded -= gone;
      at -= place;
    },
  };
}

/** How many bytes stand for one: three for `%XX`; none when that cannot be known yet, or nothing is there. */
function lengthAt(bytes: Uint8Array, at: number, isEnd: boolean): 0 | 1 | 3 {
  if (at >= bytes.length) return 0;
  if (bytes[at] !== percent) return 1;
  if (at + 1 >= bytes.length) return isEnd ? 1 : 0;
  if (hexValue(bytes[at + 1] as number) < 0) return 1;
  if (at + 2 >= bytes.length) return isEnd ? 1 : 0;
  return hexValue(bytes[at + 2] as number) < 0 ? 1 : 3;
}

/** The next `%XX`, or what may become one; the end when there is none. */
function nextEncoded(bytes: Uint8Array, from: number, isEnd: boolean): number {
  let at = bytes.indexOf(percent, from);
  while (at >= 0 && lengthAt(bytes, at, isEnd) === 1) at = bytes.indexOf(percent, at + 1);
  return at < 0 ? bytes.length : at;
}

function decoded(bytes: Uint8Array, at: number): number {
  return hexValue(bytes[at + 1] as number) * 16 + hexValue(bytes[at + 2] as number);
}

function hexValue(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}
