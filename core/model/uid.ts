import { randomFillSync } from "node:crypto";

export type Uid = string & { readonly uid: unique symbol };

const random = Buffer.alloc(4096);
let used = random.length;

/** UUID version 7: ordered by time, so that new rows land at the end of their index instead of all over it. */
export function newUid(now = Date.now()): Uid {
  if (used + 10 > random.length) {
    randomFillSync(random);
    used = 0;
  }
  const bytes = Buffer.allocUnsafe(16);
  bytes.writeUIntBE(now, 0, 6);
  random.copy(bytes, 6, used, used + 10);
  used += 10;
  bytes[6] = ((bytes[6] as number) & 0x0f) | 0x70;
  bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80;
  const hex = bytes.toString("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}` as Uid;
}
