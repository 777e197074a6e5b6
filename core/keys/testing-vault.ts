import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

/** Vault's transit engine as its API documents it: paths, statuses, error bodies, `vault:vN:` ciphertexts, versions. */
export interface TestVault {
  readonly address: string;
  readonly token: string;
  /** Requests as `POST transit/encrypt/reeve`. */
  readonly asked: string[];
  sealed: boolean;
  /** Answers nothing while set. */
  silent: boolean;
  /** Paths that the token's policy denies, as `transit/keys/reeve/rotate`. */
  denied: string[];
  /** What an operator does once an old version is needed no more. */
  forgetBefore(key: string, version: number): void;
}

interface TransitKey {
  versions: Buffer[];
  first: number;
}

interface Reply {
  status: number;
  body?: object;
}

export async function testVault(): Promise<TestVault> {
  const keys = new Map<string, TransitKey>();
  const server = createServer(async (request, response) => {
    const path = (request.url ?? "").replace(/^\/v1\//, "");
    vault.asked.push(`${request.method} ${path}`);
    const body = await read(request);
    if (vault.silent) return;
    const { status, body: answer } = reply(request, path, body);
    response.writeHead(status, { "content-type": "application/json" });
    response.end(answer && JSON.stringify(answer));
  });

  function reply(request: IncomingMessage, path: string, body: Record<string, unknown>): Reply {
    if (vault.sealed) return failure(503, "Vault is sealed");
    if (request.headers["x-vault-token"] !== vault.token || vault.denied.includes(path))
      return failure(403, "1 error occurred:\n\t* permission denied\n\n");
    const [mount, verb, name = "", more] = path.split("/");
    if (mount !== "transit") return failure(404, `no handler for route "${path}". route entry not found.`);
    const key = keys.get(name);
    if (request.method === "GET" && verb === "keys") return key ? described(name, key) : failure(404);
    if (request.method !== "POST") return failure(405, "unsupported operation");
    if (verb === "keys" && more === undefined) {
      if (key === undefined) keys.set(name, { versions: [randomBytes(32)], first: 1 });
      return described(name, keys.get(name) as TransitKey);
    }
    if (key === undefined) return failure(400, "encryption key not found");
    if (verb === "keys" && more === "rotate") {
      key.versions.push(randomBytes(32));
      return { status: 204 };
    }
    if (verb === "encrypt") return encrypt(key, body);
    return verb === "decrypt" ? decrypt(key, body) : failure(404);
  }

  const vault: TestVault = {
    address: "",
    token: `hvs.${randomBytes(12).toString("hex")}`,
    asked: [],
    sealed: false,
    silent: false,
    denied: [],
    forgetBefore(name, version) {
      const key = keys.get(name);
      if (key !== undefined) key.first = version;
    },
  };
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return Object.assign(vault, { address: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
}

function described(name: string, { versions, first }: TransitKey): Reply {
  const data = {
    name,
    type: "aes256-gcm96",
    latest_version: versions.length,
    min_decryption_version: first,
    min_encryption_version: 0,
    supports_encryption: true,
    keys: Object.fromEntries(versions.map((_, at) => [String(at + 1), 1_700_000_000 + at])),
  };
  return { status: 200, body: { data } };
}

function encrypt(
  { versions }: TransitKey,
  { plaintext, key_version: asked }: Record<string, unknown>,
): Reply {
  const version = Number(asked ?? 0) || versions.length;
  const key = versions[version - 1];
  if (key === undefined)
    return failure(400, "requested version for encryption is higher than the latest key version");
  const nonce = randomBytes(12);
  const cipher = createCipheriv("aes-256-gcm", key, nonce);
  const bytes = [nonce, cipher.update(String(plaintext), "base64"), cipher.final(), cipher.getAuthTag()];
  const ciphertext = `vault:v${version}:${Buffer.concat(bytes).toString("base64")}`;
  return { status: 200, body: { data: { ciphertext, key_version: version } } };
}

function decrypt({ versions, first }: TransitKey, { ciphertext }: Record<string, unknown>): Reply {
  const [, version, text] = /^vault:v(\d+):(.*)$/.exec(String(ciphertext)) ?? [];
  const key = versions[Number(version) - 1];
  if (key === undefined || text === undefined) return failure(400, "invalid ciphertext: no prefix");
  if (Number(version) < first)
    return failure(400, "ciphertext or signature version is disallowed by policy (too old)");
  const bytes = Buffer.from(text, "base64");
  try {
    const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, 12));
    decipher.setAuthTag(bytes.subarray(-16));
    const plain = Buffer.concat([decipher.update(bytes.subarray(12, -16)), decipher.final()]);
    return { status: 200, body: { data: { plaintext: plain.toString("base64") } } };
  } catch {
    return failure(400, "cipher: message authentication failed");
  }
}

function failure(status: number, ...errors: string[]): Reply {
  return { status, body: { errors } };
}

async function read(request: IncomingMessage): Promise<Record<string, unknown>> {
  const text = Buffer.concat(await request.toArray()).toString();
  return text === "" ? {} : (JSON.parse(text) as Record<string, unknown>);
}
