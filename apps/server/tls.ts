import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { createSecureContext } from "node:tls";
import { type KeyPair, selfSigned } from "@reeve/control";
import { type Config, ConfigError, splitAddress } from "./config.ts";

/** The certificate of the public port: given, self-made, or none on loopback and behind a proxy. */
export function readTls(config: Config): (KeyPair & { file: string }) | undefined {
  if (config.tlsCert !== undefined && config.tlsKey !== undefined)
    return usable({
      cert: readPem("REEVE_TLS_CERT", config.tlsCert),
      key: readPem("REEVE_TLS_KEY", config.tlsKey),
      file: config.tlsCert,
    });
  if (!config.tlsSelfMade) return undefined;
  const folder = join(config.dataFolder, "tls");
  const file = join(folder, "cert.pem");
  const keyFile = join(folder, "key.pem");
  if (!existsSync(keyFile)) {
    const { host } = splitAddress(config.listen);
    const named = config.publicUrl === undefined ? [] : [new URL(config.publicUrl).hostname];
    const hosts = [
      ...new Set([
        "localhost",
        "127.0.0.1",
        hostname(),
        ...named,
        ...(["0.0.0.0", "::"].includes(host) ? [] : [host]),
      ]),
    ];
    const made = selfSigned("Reeve", hosts, 825);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(file, made.cert);
    writeFileSync(keyFile, made.key, { mode: 0o600 });
    chmodSync(keyFile, 0o600);
  }
  return { cert: readFileSync(file, "utf8"), key: readFileSync(keyFile, "utf8"), file };
}

function usable<Pair extends KeyPair>(pair: Pair): Pair {
  try {
    createSecureContext({ cert: pair.cert, key: pair.key });
    return pair;
  } catch (error) {
    throw new ConfigError(
      `REEVE_TLS_CERT and REEVE_TLS_KEY: not a certificate and its key in PEM form: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

function readPem(setting: string, path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new ConfigError(
      `${setting}: cannot read ${path}: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}
