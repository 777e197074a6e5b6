/**
 * The automaton of Aho and Corasick, whose speed does not depend on how many texts there are. A state stands for the beginning of a
 * text, and has the number after that of the state before it, so the way on needs no table; where texts part there are branches.
 */
export interface Automaton {
  /** By two bytes: whether a text begins with them. */
  readonly opening: Uint8Array;
  /** From the state of nothing, by each byte. */
  readonly first: Int32Array;
  /** The byte that leads to the state with the next number, and whether there are branches too. */
  readonly label: Uint16Array;
  /** By state and byte. */
  readonly branches: Map<number, number>;
  /** The longest other state that ends in the same way. */
  readonly fail: Int32Array;
  readonly depth: Uint16Array;
  /** The length of the longest text that ends here; 0 for none. */
  readonly ends: Uint16Array;
}

export const noByte = 0x100;
const branched = 0x200;
/** About what an entry of a Map takes. */
const branchBytes = 40;

function child({ first, label, branches }: Automaton, state: number, byte: number): number {
  if (state === 0) return first[byte] as number;
  const way = label[state] as number;
  if ((way & ~branched) === byte) return state + 1;
  return way < branched ? 0 : (branches.get(state * 256 + byte) ?? 0);
}

/** Where a byte leads from a state. */
export function step(automaton: Automaton, from: number, byte: number): number {
  for (let state = from; state !== 0; state = automaton.fail[state] as number) {
    const next = child(automaton, state, byte);
    if (next !== 0) return next;
  }
  return automaton.first[byte] as number;
}

/** What it takes of memory. */
export function bytesOf({ opening, first, label, fail, depth, ends, branches }: Automaton): number {
  const arrays = [opening, first, label, fail, depth, ends];
  return arrays.reduce((sum, { byteLength }) => sum + byteLength, branches.size * branchBytes);
}

/** For texts of 2 to 65535 bytes. */
export function buildAutomaton(texts: readonly Uint8Array[]): Automaton {
  const most = texts.reduce((sum, text) => sum + text.length, 1);
  const automaton = {
    opening: new Uint8Array((noByte + 1) * 256),
    first: new Int32Array(256),
    label: new Uint16Array(most).fill(noByte),
    branches: new Map(),
    fail: new Int32Array(most),
    depth: new Uint16Array(most),
    ends: new Uint16Array(most),
  };
  let states = 1;
  for (const text of texts) {
    automaton.opening[(text[0] as number) * 256 + (text[1] as number)] = 1;
    states = addText(automaton, text, states);
  }
  addFails(automaton, texts);
  return automaton;
}

/** Returns how many states there are with it. */
function addText(automaton: Automaton, text: Uint8Array, before: number): number {
  const { first, label, branches, depth, ends } = automaton;
  let states = before;
  let state = 0;
  for (const byte of text) {
    let next = child(automaton, state, byte);
    if (next === 0) {
      next = states++;
      depth[next] = (depth[state] as number) + 1;
      if (state === 0) first[byte] = next;
      else if (label[state] === noByte && next === state + 1) label[state] = byte;
      else {
        label[state] = (label[state] as number) | branched;
        branches.set(state * 256 + byte, next);
      }
    }
    state = next;
  }
  ends[state] = text.length;
  return states;
}

/** All texts byte by byte together, so that of every state the shorter ones are known before it. */
function addFails(automaton: Automaton, texts: readonly Uint8Array[]): void {
  const { fail, ends } = automaton;
  const longestFirst = texts.toSorted((a, b) => b.length - a.length);
  const states = new Int32Array(texts.length);
  let left = texts.length;
  for (let at = 0; left > 0; at++) {
    while (left > 0 && (longestFirst[left - 1] as Uint8Array).length <= at) left--;
    for (let index = 0; index < left; index++) {
      const state = states[index] as number;
      const byte = (longestFirst[index] as Uint8Array)[at] as number;
      const next = child(automaton, state, byte);
      const other = state === 0 ? 0 : step(automaton, fail[state] as number, byte);
      fail[next] = other;
      if (ends[next] === 0) ends[next] = ends[other] as number;
      states[index] = next;
    }
  }
}
