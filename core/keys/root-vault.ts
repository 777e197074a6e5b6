import { readFile } from "node:fs/promises";
import { Fault } from "@reeve/model";
import type { RootKey, RootPlace } from "./root.ts";

export interface VaultOptions {
  readonly address: string;
  /** Read at each request, so that a token which something else renews in a file is the current one. */
  readonly token: { readonly text: string } | { readonly file: string };
  readonly mount: string;
  readonly key: string;
  readonly timeoutMs?: number;
}

/** A key of Vault's transit engine, which never leaves it. Each version of the key is a root key of its own. */
export function rootVault(options: VaultOptions): RootPlace {
  const { mount, key, timeoutMs = 5000 } = options;
  const where = `the key ${key} of Vault's transit engine ${mount} at ${options.address} (REEVE_ROOT_KEY_VAULT_*)`;

  /** What Vault answers; nothing when it does not know the key. */
  async function ask(method: "GET" | "POST", path: string, body?: object): Promise<Data> {
    const url = `${options.address.replace(/\/+$/, "")}/v1/${mount}/${path}`;
    const token = "text" in options.token ? options.token.text : await readToken(options.token.file);
    const { status, text } = await fetch(url, {
      method,
      headers: { "x-vault-token": token, "x-vault-request": "true", "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(timeoutMs),
    })
      .then(async (answer) => ({ status: answer.status, text: await answer.text() }))
      .catch((cause: Error) => {
        const late = cause.name === "TimeoutError";
        throw away(late ? `it has not answered for ${timeoutMs / 1000} s` : "it cannot be reached", cause);
      });
    const { data = {}, errors = [] } = readAnswer(text);
    if (status < 300 || status === 404) return data;
    const said = errors.join(", ") || `status ${status}`;
    // A 400 is about what we sent: asking again does not help.
    if (status === 400) throw new Error(`Vault cannot do this with the key ${key}: ${said}`);
    throw away(status === 403 ? `${said}: may the token use ${mount}/${path}?` : said);
  }

  function away(why: string, cause?: unknown): Fault {
    return new Fault("unavailable", `the root key is out of reach: Vault at ${options.address}: ${why}`, {
      next: "bring Vault back, or correct REEVE_ROOT_KEY_VAULT_*; what is open already stays so",
      retryAfterMs: 5000,
      ...(cause === undefined ? {} : { cause }),
    });
  }

  function version(number: number): RootKey {
    return {
      id: `vault-${mount}-${key}-v${number}`,
      async wrap(plain) {
        const plaintext = Buffer.from(plain).toString("base64");
        const { ciphertext } = await ask("POST", `encrypt/${key}`, { plaintext, key_version: number });
        if (ciphertext === undefined) throw away(`there is no key ${key}`);
        return ciphertext;
      },
      async unwrap(ciphertext) {
        const { plaintext } = await ask("POST", `decrypt/${key}`, { ciphertext });
        if (plaintext === undefined) throw away(`there is no key ${key}`);
        return Buffer.from(plaintext, "base64");
      },
    };
  }

  async function keys(): Promise<readonly RootKey[]> {
    const { min_decryption_version: first = 1, latest_version: last = 0 } = await ask("GET", `keys/${key}`);
    return Array.from({ length: last - first + 1 }, (_, at) => version(first + at));
  }

  return {
    where,
    seenByAll: true,
    keys,
    async make() {
      const known = await keys();
      await ask("POST", known.length === 0 ? `keys/${key}` : `keys/${key}/rotate`, {});
      const made = (await keys()).at(-1);
      if (made === undefined || known.some(({ id }) => id === made.id)) throw away("it made no new key");
      return made;
    },
  };
}

/** The fields of Vault's answers that we read. */
interface Data {
  readonly ciphertext?: string;
  readonly plaintext?: string;
  readonly latest_version?: number;
  readonly min_decryption_version?: number;
}

/** Some answers have no body, and a proxy in front may answer with something else. */
function readAnswer(text: string): { data?: Data; errors?: string[] } {
  try {
    return JSON.parse(text) as { data?: Data; errors?: string[] };
  } catch {
    return {};
  }
}

async function readToken(file: string): Promise<string> {
  try {
    return (await readFile(file, "utf8")).trim();
  } catch (cause) {
    throw new Fault("unavailable", `REEVE_ROOT_KEY_VAULT_TOKEN_FILE: ${file} cannot be read`, { cause });
  }
}
