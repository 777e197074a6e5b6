export type Uid = string & { readonly uid: unique symbol };

const random = new Uint8Array(4096);
let used = random.length;

/** UUID version 7: ordered by time, so that new rows land at the end of their index instead of all over it. */
export function newUid(now = Date.now()): Uid {
  if (used + 10 > random.length) {
    crypto.getRandomValues(random);
    used = 0;
  }
  const time = now.toString(16).padStart(12, "0");
  let chance = "";
  for (let at = used; at < used + 10; at++) chance += hex[random[at] as number];
  const variant = "89ab"[(random[used + 2] as number) & 3];
  used += 10;
  const groups = [
    time.slice(0, 8),
    time.slice(8),
    `7${chance.slice(1, 4)}`,
    `${variant}${chance.slice(5, 8)}`,
  ];
  return `${groups.join("-")}-${chance.slice(8)}` as Uid;
}

const hex = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));
