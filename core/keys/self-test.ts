import { randomBytes } from "node:crypto";
import { Fault, newUid } from "@reeve/model";
import { type Database, type Sealed, storeForCheck } from "@reeve/store";
import type { Keys } from "./keys.ts";

/**
 * At every start: what is stored is ciphertext and opens again; what was changed, or is said to be somebody else's, does not.
 * Without this proof the server does not serve.
 */
export async function proveSealing(database: Database, keys: Keys): Promise<void> {
  const id = newUid();
  const about = `check/${id}`;
  const plain = Buffer.from(randomBytes(24).toString("base64"));
  const sealed = await keys.seal("", about, plain);
  const text = await database.transact((sql) => storeForCheck(sql, id, sealed));
  if (
    !text.includes(sealed.data) ||
    ["utf8", "base64", "hex"].some((form) => text.includes(shown(plain, form)))
  )
    throw failed("what was stored is not ciphertext");
  const stored = JSON.parse(text) as Sealed;
  if (!plain.equals(await opened(keys, about, stored))) throw failed("what was stored does not open");
  for (const changed of [
    { ...stored, data: flipped(stored.data) },
    { ...stored, nonce: flipped(stored.nonce) },
    { ...stored, wrapped: flipped(stored.wrapped) },
  ])
    if (await opens(keys, about, changed)) throw failed("a changed value opens");
  if (await opens(keys, `check/${newUid()}`, stored)) throw failed("a value opens as another one");
}

/** Nothing when it does not open; that a key is out of reach is another matter. */
function opened(keys: Keys, about: string, sealed: Sealed): Promise<Uint8Array> {
  return keys.open(about, sealed).catch((error: unknown) => {
    if (error instanceof Fault && error.kind === "internal") return new Uint8Array();
    throw error;
  });
}

function opens(keys: Keys, about: string, sealed: Sealed): Promise<boolean> {
  return keys.open(about, sealed).then(
    () => true,
    () => false,
  );
}

function flipped(base64: string): string {
  const bytes = Buffer.from(base64, "base64");
  bytes[0] = (bytes[0] ?? 0) ^ 1;
  return bytes.toString("base64");
}

function shown(plain: Buffer, form: string): string {
  return plain.toString(form as BufferEncoding);
}

function failed(what: string): Error {
  return new Error(`the self-test of the keys failed: ${what}`);
}
