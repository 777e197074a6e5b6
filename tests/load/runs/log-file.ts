import { createHash } from "node:crypto";
import { closeSync, openSync, writeSync } from "node:fs";

export interface LogFile {
  readonly path: string;
  readonly bytes: number;
  /** Of what `cat` writes. */
  readonly sha256: string;
}

/** Lines as services write them: times, levels, ids, numbers; they compress about as well as real ones. */
export function writeLogFile(path: string, megabytes: number): LogFile {
  const file = openSync(path, "w", 0o644);
  const hash = createHash("sha256");
  let bytes = 0;
  for (let line = 0; bytes < megabytes * 1e6; ) {
    let text = "";
    for (let count = 0; count < 4000; count++, line++) text += lineOf(line);
    const chunk = Buffer.from(text);
    hash.update(chunk);
    writeSync(file, chunk);
    bytes += chunk.length;
  }
  closeSync(file);
  return { path, bytes, sha256: hash.digest("hex") };
}

function lineOf(line: number): string {
  const id = ((line * 2654435761) >>> 0).toString(16).padStart(8, "0");
  const second = String(line % 60).padStart(2, "0");
  return `2026-11-15T12:00:${second}.${String(line % 1000).padStart(3, "0")}Z info request=${id} status=${line % 7 === 0 ? 404 : 200} took=${line % 937}ms path=/api/v1/things/${line % 5003}\n`;
}
