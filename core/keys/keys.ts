import { hkdfSync, randomBytes } from "node:crypto";
import { Fault, newUid, type Scope, scopeParts } from "@reeve/model";
import {
  type Database,
  insertScopeKey,
  readCurrentScopeKey,
  readScopeKey,
  type ScopeKeyRow,
  type Sealed,
} from "@reeve/store";
import { close, keyBytes, open, unwrapKey, wrapKey } from "./cipher.ts";
import type { Roots } from "./roots.ts";

/** What areas seal with. Both may ask the database and the root key's place: call them before a transaction, not within. */
export interface Keys {
  /** Closes a value under a key of its own and the key of the scope's organization. `about` says whose value it is. */
  seal(scope: Scope, about: string, plain: Uint8Array): Promise<Sealed>;
  /** Throws unless the value is as it was sealed, about the same. */
  open(about: string, sealed: Sealed): Promise<Uint8Array>;
}

/** The same with what rotations need. */
export interface Keyring extends Keys {
  readonly roots: Roots;
  /** The same value under its organization's current key. */
  rewrap(sealed: Sealed): Promise<Sealed>;
  /** Forgets which keys are the current ones. */
  refresh(): void;
}

/** Another replica may have made a new current key; until we look again we seal under the old one, which still opens. */
const currentMs = 5000;
const cachedKeys = 1000;

interface ScopeKey {
  readonly id: string;
  readonly organization: string;
  readonly bytes: Uint8Array;
}

export function openKeys(database: Database, roots: Roots): Keyring {
  const opened = new Map<string, ScopeKey>();
  const current = new Map<string, { readonly id: string; readonly until: number }>();

  async function unwrapped(row: ScopeKeyRow): Promise<ScopeKey> {
    const root = await roots.get(row.root);
    return keep(row, await root.unwrap(row.wrapped));
  }

  function keep({ id, organization }: ScopeKeyRow, secret: Uint8Array): ScopeKey {
    const key = { id, organization, bytes: scopeKeyBytes(secret, id, organization) };
    if (opened.size >= cachedKeys) opened.delete(opened.keys().next().value as string);
    opened.set(id, key);
    return key;
  }

  async function byId(id: string): Promise<ScopeKey> {
    const known = opened.get(id);
    if (known !== undefined) return known;
    const row = await readScopeKey(database, id);
    if (row === undefined) throw new Fault("internal", `there is no scope key ${id}`);
    return unwrapped(row);
  }

  async function currentOf(organization: string): Promise<ScopeKey> {
    const known = current.get(organization);
    if (known !== undefined && known.until > performance.now()) return byId(known.id);
    let row = await readCurrentScopeKey(database, organization);
    if (row === undefined) {
      const root = await roots.current();
      const made = await root.wrap(randomBytes(keyBytes));
      await insertScopeKey(database, { id: newUid(), organization, root: root.id, wrapped: made });
      row = await readCurrentScopeKey(database, organization);
    }
    if (row === undefined) throw new Fault("internal", "a scope key went as soon as it was made");
    if (current.size >= cachedKeys) current.clear();
    current.set(organization, { id: row.id, until: performance.now() + currentMs });
    return opened.get(row.id) ?? unwrapped(row);
  }

  return {
    roots,
    refresh: () => current.clear(),
    async seal(scope, about, plain) {
      const key = await currentOf(scopeParts(scope)[0] ?? "");
      const own = randomBytes(keyBytes);
      const { nonce, data } = close(own, about, plain);
      return {
        key: key.id,
        wrapped: wrapKey(key.bytes, key.id, own),
        nonce: nonce.toString("base64"),
        data: data.toString("base64"),
      };
    },
    async open(about, sealed) {
      const key = await byId(sealed.key);
      return checked(about, () =>
        open(
          unwrapKey(key.bytes, key.id, sealed.wrapped),
          about,
          Buffer.from(sealed.nonce, "base64"),
          Buffer.from(sealed.data, "base64"),
        ),
      );
    },
    async rewrap(sealed) {
      const before = await byId(sealed.key);
      const after = await currentOf(before.organization);
      const own = checked(sealed.key, () => unwrapKey(before.bytes, before.id, sealed.wrapped));
      return { ...sealed, key: after.id, wrapped: wrapKey(after.bytes, after.id, own) };
    },
  };
}

/** Bound to its id and organization here, so that any root key will do, also one that knows no additional data. */
function scopeKeyBytes(secret: Uint8Array, id: string, organization: string): Uint8Array {
  return new Uint8Array(hkdfSync("sha256", secret, "", `reeve scope key ${id} of ${organization}`, keyBytes));
}

function checked<T>(about: string, read: () => T): T {
  try {
    return read();
  } catch {
    throw new Fault("internal", `the sealed value ${about} does not open`, {
      next: "its row was changed outside of Reeve, or belongs elsewhere: restore it from a backup, or set the value anew",
    });
  }
}
