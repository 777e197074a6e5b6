/**
 * What hosts and containers use, over time. CPU is in thousandths of a core, memory and disk in bytes, the others in bytes a
 * second. `disk` is what is taken of a host's disk; containers have none of their own.
 */
export const usageMeasures = [
  "cpu",
  "memory",
  "disk",
  "diskRead",
  "diskWritten",
  "networkIn",
  "networkOut",
] as const;
export type UsageMeasure = (typeof usageMeasures)[number];

export type UsageValues = Readonly<Record<UsageMeasure, readonly (number | null)[]>>;

/** One container, or the host itself when it has no name: a value for each step of time, null where nothing is known. */
export interface UsageSeries {
  readonly name: string;
  readonly values: UsageValues;
}

/** Samples are taken, and kept for a day, at the one; means of them are kept for a month at the other. */
export const sampleMs = 15_000;
export const meanMs = 300_000;

/** Series as few bytes: each value as its difference to the one before, which mostly is small. */
export function packUsage(series: readonly UsageSeries[]): Uint8Array<ArrayBuffer> {
  const out: number[] = [];
  for (const { name, values } of series) {
    const text = new TextEncoder().encode(name);
    writeNumber(out, text.length);
    out.push(...text);
    writeNumber(out, values.cpu.length);
    for (const measure of usageMeasures) writeValues(out, values[measure]);
  }
  return Uint8Array.from(out);
}

/** Throws when the bytes are not what `packUsage` writes. */
export function unpackUsage(bytes: Uint8Array): UsageSeries[] {
  const reader = { bytes, at: 0 };
  const series: UsageSeries[] = [];
  while (reader.at < bytes.length) {
    const length = readNumber(reader);
    const text = bytes.subarray(reader.at, reader.at + length);
    reader.at += length;
    const name = new TextDecoder("utf-8", { fatal: true }).decode(text);
    const count = readNumber(reader);
    if (count > bytes.length) throw new Error("more values than bytes");
    const values = usageMeasures.map((measure) => [measure, readValues(reader, count)]);
    series.push({ name, values: Object.fromEntries(values) });
  }
  return series;
}

/** 0 is a value that is not known; others are one more than their difference, whose sign is its last bit. */
function writeValues(out: number[], values: readonly (number | null)[]): void {
  let before = 0;
  for (const value of values) {
    if (value === null) {
      out.push(0);
      continue;
    }
    const difference = value - before;
    writeNumber(out, 1 + (difference < 0 ? -2 * difference - 1 : 2 * difference));
    before = value;
  }
}

interface Reader {
  readonly bytes: Uint8Array;
  at: number;
}

function readValues(reader: Reader, count: number): (number | null)[] {
  let before = 0;
  return Array.from({ length: count }, () => {
    const coded = readNumber(reader);
    if (coded === 0) return null;
    const code = coded - 1;
    before += code % 2 === 0 ? code / 2 : -(code + 1) / 2;
    return before;
  });
}

/** Seven bits a byte, the lowest first; not by bit operators, which know 32 bits only. */
function writeNumber(out: number[], value: number): void {
  let rest = value;
  while (rest >= 128) {
    out.push((rest % 128) + 128);
    rest = Math.floor(rest / 128);
  }
  out.push(rest);
}

function readNumber(reader: Reader): number {
  let value = 0;
  for (let factor = 1; ; factor *= 128) {
    const byte = reader.bytes[reader.at++];
    if (byte === undefined || factor > 2 ** 49) throw new Error("not a number");
    value += (byte % 128) * factor;
    if (byte < 128) return value;
  }
}
