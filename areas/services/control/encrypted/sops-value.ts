import { createDecipheriv } from "node:crypto";

/** A value that stands in a file, as its format reads it. */
export type Plain = string | number | bigint | boolean | null;

const form = /^ENC\[AES256_GCM,data:([^,]*),iv:([^,]+),tag:([^,]+),type:(\w+)\]$/;

export interface Opened {
  readonly value: Plain;
  /** What the code over all values is made of. */
  readonly bytes: Buffer;
}

export const isEncrypted = (value: Plain): value is string => typeof value === "string" && form.test(value);

/** Each value is bound to its place: one that was moved to another does not open. */
export function openValue(key: Uint8Array, text: string, place: string): Opened {
  const [, data = "", iv = "", tag = "", type = ""] = form.exec(text) ?? [];
  const bytesOf = (part: string) => Buffer.from(part, "base64");
  const decipher = createDecipheriv("aes-256-gcm", key, bytesOf(iv), { authTagLength: 16 });
  decipher.setAAD(Buffer.from(place));
  decipher.setAuthTag(bytesOf(tag));
  const bytes = Buffer.concat([decipher.update(bytesOf(data)), decipher.final()]);
  return { value: typed(bytes, type), bytes };
}

function typed(bytes: Buffer, type: string): Plain {
  const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  if (type === "int") return BigInt(text);
  if (type === "float") return Number(text);
  return type === "bool" ? text === "True" : text;
}

/** As the author of the code wrote values that are not encrypted: numbers without an exponent, True and False. */
export function plainBytes(value: Plain): Buffer {
  if (value === null) return Buffer.alloc(0);
  if (typeof value === "boolean") return Buffer.from(value ? "True" : "False");
  return Buffer.from(typeof value === "number" ? decimal(value) : `${value}`);
}

function decimal(value: number): string {
  const [, sign = "", whole = "", part = "", power] =
    /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(`${value}`) ?? [];
  if (power === undefined) return `${value}`;
  const shift = Number(power);
  return shift < 0
    ? `${sign}0.${"0".repeat(-shift - 1)}${whole}${part}`
    : `${sign}${whole}${part.padEnd(shift, "0")}`;
}
