export type Uid = string & { readonly uid: unique symbol };

const random = new Uint8Array(4096);
let used = random.length;
/** Of the last one: its time, and its place within that millisecond. */
let lastMs = 0;
let place = 0;
/** A clock that was wrong by more is believed when it is put right. */
const mostBackMs = 60_000;

/**
 * UUID version 7: ordered by time, so that new rows land at the end of their index instead of all over it. Those of one process are in the
 * order in which they were made, also within a millisecond and when the clock is set back a little: what is asked for later comes later.
 */
export function newUid(): Uid {
  const now = Date.now();
  if (now > lastMs || lastMs - now > mostBackMs) {
    lastMs = now;
    // The lower half, which leaves room for those that follow.
    place = Math.floor(Math.random() * 0x800);
  } else if (++place > 0xfff) {
    lastMs++;
    place = 0;
  }
  return uidOf(lastMs, place);
}

/** One as if it had been made at that time, to compare with. */
export function uidAt(ms: number): Uid {
  return uidOf(ms, Math.floor(Math.random() * 0x1000));
}

function uidOf(ms: number, within: number): Uid {
  if (used + 8 > random.length) {
    crypto.getRandomValues(random);
    used = 0;
  }
  const time = ms.toString(16).padStart(12, "0");
  let chance = "";
  for (let at = used; at < used + 8; at++) chance += hex[random[at] as number];
  const variant = "89ab"[(random[used] as number) & 3];
  used += 8;
  const groups = [
    time.slice(0, 8),
    time.slice(8),
    `7${within.toString(16).padStart(3, "0")}`,
    `${variant}${chance.slice(1, 4)}`,
  ];
  return `${groups.join("-")}-${chance.slice(4)}` as Uid;
}

const hex = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));
