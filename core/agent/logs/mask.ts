import { formsOf } from "@reeve/model/hidden-text";

/**
 * Masks texts in a stream, each byte by one `*`, so that offsets stay. Whatever the borders of the pieces, the result is the
 * same. One pass of an Aho-Corasick automaton, so the speed does not depend on how many texts there are: its depth is also
 * exactly how many bytes must wait, because they may be the beginning of a text.
 */
export interface Mask {
  /** The longest text: so many bytes before a place decide what is masked after it. */
  readonly longest: number;
  /** For one stream from its beginning, or from a place with the bytes before it. */
  begin(before?: Uint8Array): Masking;
}

export interface Masking {
  /** What is decided by now; the rest waits. The bytes given are not kept, and not changed, but may be what is returned. */
  push(bytes: Uint8Array): Buffer;
  /** What waits, when nothing follows. */
  flush(): Buffer;
  readonly waiting: number;
}

const star = 42;
const nothing = Buffer.alloc(0);

export function openMask(hide: readonly string[]): Mask {
  const forms = hide.flatMap(formsOf).map((form) => Buffer.from(form));
  const automaton = forms.length === 0 ? undefined : build(forms);
  const longest = Math.max(0, ...forms.map((form) => form.length));
  return {
    longest,
    begin(before = nothing) {
      const masking = automaton === undefined ? plain() : openMasking(automaton);
      const decided = masking.push(before).length;
      // What waits of the bytes before was told already, or stands in a gap.
      return before.length > decided ? without(masking, before.length - decided) : masking;
    },
  };
}

function plain(): Masking {
  return {
    waiting: 0,
    push: (bytes) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length),
    flush: () => nothing,
  };
}

/** The same, with its first bytes left out. */
function without(masking: Masking, first: number): Masking {
  let left = first;
  const cut = (bytes: Buffer) => {
    const gone = Math.min(left, bytes.length);
    left -= gone;
    return bytes.subarray(gone);
  };
  return {
    push: (bytes) => cut(masking.push(bytes)),
    flush: () => cut(masking.flush()),
    get waiting() {
      return masking.waiting - left;
    },
  };
}

function openMasking({ classOf, classes, next, depth, ends }: Automaton): Masking {
  let state = 0;
  let held: Buffer = nothing;
  return {
    get waiting() {
      return held.length;
    },
    push(bytes) {
      const all = Buffer.concat([held, bytes]);
      let maskedFrom = 0;
      let maskedTo = 0;
      for (let at = held.length; at < all.length; at++) {
        state = next[state * classes + (classOf[all[at] as number] as number)] as number;
        const length = ends[state] as number;
        if (length === 0) continue;
        const from = at + 1 - length;
        // A run of matches that overlap is filled once, not once for each.
        if (from >= maskedFrom && from <= maskedTo) all.fill(star, maskedTo, at + 1);
        else {
          all.fill(star, from, at + 1);
          maskedFrom = from;
        }
        maskedTo = at + 1;
      }
      const decided = all.length - (depth[state] as number);
      held = all.subarray(decided);
      return all.subarray(0, decided);
    },
    flush() {
      const rest = held;
      held = nothing;
      state = 0;
      return rest;
    },
  };
}

interface Automaton {
  /** Bytes that stand in no text are all alike, which keeps the table small. */
  readonly classOf: Uint8Array;
  readonly classes: number;
  readonly next: Int32Array;
  readonly depth: Int32Array;
  /** The length of the longest text that ends here; 0 for none. */
  readonly ends: Int32Array;
}

function build(texts: readonly Buffer[]): Automaton {
  const used = [...new Set(texts.flatMap((text) => [...text]))];
  const classOf = new Uint8Array(256);
  // 255 classes are enough for 256 different bytes: then the first one shares class 0 with nobody.
  for (const [index, byte] of used.entries()) classOf[byte] = used.length === 256 ? index : index + 1;
  const classes = Math.min(256, used.length + 1);
  const most = texts.reduce((sum, text) => sum + text.length, 1);
  const next = new Int32Array(most * classes);
  const depth = new Int32Array(most);
  const ends = new Int32Array(most);
  let states = 1;
  for (const text of texts) {
    let state = 0;
    for (const byte of text) {
      const slot = state * classes + (classOf[byte] as number);
      if (next[slot] === 0) {
        depth[states] = (depth[state] as number) + 1;
        next[slot] = states++;
      }
      state = next[slot] as number;
    }
    ends[state] = text.length;
  }
  // Breadth first: where a state has no way on, it goes on as the longest shorter beginning would.
  const fail = new Int32Array(states);
  const queue: number[] = [0];
  for (let head = 0; head < queue.length; head++) {
    const state = queue[head] as number;
    const other = fail[state] as number;
    ends[state] = Math.max(ends[state] as number, ends[other] as number);
    for (let letter = 0; letter < classes; letter++) {
      const slot = state * classes + letter;
      const child = next[slot] as number;
      const detour = state === 0 ? 0 : (next[other * classes + letter] as number);
      if (child === 0) next[slot] = detour;
      else {
        fail[child] = detour;
        queue.push(child);
      }
    }
  }
  return { classOf, classes, next: next.subarray(0, states * classes), depth, ends };
}
