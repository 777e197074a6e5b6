import type { Finder, Found } from "@reeve/model/hidden-text";

/**
 * Masks texts in a stream, each byte by one `*`, so that offsets stay. Whatever the borders of the pieces, the result is the
 * same. Only what may be the beginning of a text waits.
 */
export interface Mask {
  /** So many bytes before a place decide what is masked after it. */
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

export function openMask(finder: Finder): Mask {
  return {
    longest: finder.longest,
    begin(before = nothing) {
      const masking = finder.longest === 0 ? plain() : openMasking(finder);
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

function openMasking(finder: Finder): Masking {
  const search = finder.begin();
  // What waits: as it came, for what is found across a border, and as it will be shown.
  let held: Buffer = nothing;
  let shown: Buffer = nothing;
  return {
    get waiting() {
      return held.length;
    },
    push(bytes) {
      const all = held.length === 0 ? bytes : Buffer.concat([held, bytes]);
      const out = Buffer.concat([shown, bytes]);
      const decided = search.look(all, held.length, covering(out), false);
      held = Buffer.from(all.subarray(decided));
      shown = Buffer.from(out.subarray(decided));
      return out.subarray(0, decided);
    },
    flush() {
      search.look(held, held.length, covering(shown), true);
      const rest = shown;
      held = nothing;
      shown = nothing;
      return rest;
    },
  };
}

/** Fills what is found; a run of texts that overlap once, not once for each. */
function covering(out: Buffer): Found {
  let coveredFrom = 0;
  let coveredTo = 0;
  return (from, to) => {
    if (from < coveredFrom || from > coveredTo) {
      out.fill(star, from, to);
      coveredFrom = from;
      coveredTo = to;
    } else if (to > coveredTo) {
      out.fill(star, coveredTo, to);
      coveredTo = to;
    }
  };
}
