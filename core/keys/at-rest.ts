import { createHmac, randomBytes } from "node:crypto";
import { Fault, newUid, type Scope, scopeParts } from "@reeve/model";
import {
  type AtRest,
  type Database,
  type DataKeyRow,
  insertDataKey,
  listDataKeys,
  type Opener,
  readDataKey,
  type Sealer,
  sealingOrganizations,
} from "@reeve/store";
import { close, keyBytes, open } from "./cipher.ts";
import type { Keys } from "./keys.ts";

export interface SealingAtRest extends AtRest {
  /** Looks which organizations seal now, and has their keys at hand. */
  refresh(): Promise<void>;
}

const saltBytes = 16;
const nonceBytes = 12;
const cachedKeys = 1000;

/**
 * Seals by a data key for each organization and month, which lies in the database under the organization's scope key. Those that were
 * met are kept in memory, so that neither writing nor reading asks anybody; a rotation renews what closes them, never what they closed.
 */
export function openAtRest(database: Database, keys: Keys): SealingAtRest {
  const openers = new Map<string, Opener>();
  let sealers: ReadonlyMap<string, Sealer> = new Map();
  /** The month of their keys. */
  let sealersOf = "";

  async function load(row: DataKeyRow): Promise<Uint8Array> {
    const bytes = await keys.open(aboutKey(row), row.sealed);
    if (openers.size >= cachedKeys) openers.delete(openers.keys().next().value as string);
    openers.set(row.id, (about, sealed) => opening(bytes, about, sealed));
    return bytes;
  }

  async function sealerOf(row: DataKeyRow): Promise<Sealer> {
    const bytes = await load(row);
    return { key: row.id, seal: (about, plain) => sealing(bytes, about, plain) };
  }

  async function makeKey(organization: string, period: string): Promise<DataKeyRow> {
    const row = { id: newUid(), organization, period };
    const sealed = await keys.seal(organization, aboutKey(row), randomBytes(keyBytes));
    await insertDataKey(database, { ...row, sealed });
    // Another replica may have been quicker: its key is the one.
    const made = (await listDataKeys(database, period)).find((one) => one.organization === organization);
    if (made === undefined) throw new Fault("internal", "a data key went as soon as it was made");
    return made;
  }

  return {
    get active() {
      return sealers.size > 0;
    },
    sealer: (scope: Scope) => (sealers.size === 0 ? undefined : sealers.get(scopeParts(scope)[0] ?? "")),
    opener(sql, id) {
      const known = openers.get(id);
      if (known !== undefined) return known;
      return readDataKey(sql, id).then(async (row) => {
        if (row !== undefined) await load(row);
        return openers.get(id) ?? ((about) => doesNotOpen(about));
      });
    },
    async refresh() {
      const wanted = await sealingOrganizations(database);
      const now = new Date().toISOString().slice(0, 7);
      const known = now === sealersOf ? sealers : new Map<string, Sealer>();
      if (wanted.length === sealers.size && wanted.every((name) => known.has(name))) return;
      const rows = new Map((await listDataKeys(database, now)).map((row) => [row.organization, row]));
      const next = new Map<string, Sealer>();
      for (const name of wanted)
        next.set(name, known.get(name) ?? (await sealerOf(rows.get(name) ?? (await makeKey(name, now)))));
      sealers = next;
      sealersOf = now;
    },
  };
}

function aboutKey({ id, organization }: Pick<DataKeyRow, "id" | "organization">): string {
  return `data key ${id} of ${organization}`;
}

/** Each value has a key of its own, derived from the data key: however many there are, no key and nonce come twice. */
function ownKey(key: Uint8Array, salt: Uint8Array): Buffer {
  return createHmac("sha256", key).update(salt).digest();
}

function sealing(key: Uint8Array, about: string, plain: Uint8Array): Buffer {
  const salt = randomBytes(saltBytes);
  const { nonce, data } = close(ownKey(key, salt), about, plain);
  return Buffer.concat([salt, nonce, data]);
}

function opening(key: Uint8Array, about: string, sealed: Uint8Array): Buffer {
  const salt = sealed.subarray(0, saltBytes);
  const nonce = sealed.subarray(saltBytes, saltBytes + nonceBytes);
  try {
    return open(ownKey(key, salt), about, nonce, sealed.subarray(saltBytes + nonceBytes));
  } catch {
    return doesNotOpen(about);
  }
}

function doesNotOpen(about: string): never {
  throw new Fault("internal", `the sealed value ${about} does not open`, {
    next: "its row was changed outside of Reeve, or belongs elsewhere: restore it from a backup",
  });
}
