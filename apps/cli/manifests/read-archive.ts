import { readFileSync, statSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { Fault } from "@reeve/model";
import { unzipSync } from "fflate";
import { readTar } from "./read-tar.ts";

/** A file of an archive, by its name in it, or why it cannot be read. */
export interface ArchivedFile {
  readonly name: string;
  readonly text?: string;
  readonly error?: string;
}

const limits = {
  archiveBytes: 64 * 1024 * 1024,
  fileBytes: 4 * 1024 * 1024,
  files: 10_000,
  bytes: 16 * 1024 * 1024,
  /** Of a tar everything is unpacked, in memory, also what is no manifest. */
  tarBytes: 256 * 1024 * 1024,
};

/**
 * The manifests in a zip or a compressed tar, in the order of their names. Nothing is ever unpacked to the disk, so no name in it leads anywhere and a link
 * is only a short text; what would unpack to too much is refused before it is unpacked.
 */
export function readArchive(path: string, isManifest: (name: string) => boolean): ArchivedFile[] {
  if (statSync(path).size > limits.archiveBytes) throw refusal(path, "is too large");
  const refused: ArchivedFile[] = [];
  let [files, bytes] = [0, 0];
  const wanted = (name: string, size: number): boolean => {
    if (++files > limits.files) throw refusal(path, `holds more than ${limits.files} files`);
    if (!isManifest(name)) return false;
    bytes += size;
    if (bytes > limits.bytes) throw refusal(path, `would unpack to more than ${limits.bytes} bytes`);
    if (size <= limits.fileBytes) return true;
    refused.push({ name, error: `is ${size} bytes, and ${limits.fileBytes} are allowed` });
    return false;
  };
  const unpacked = unreadable(path, () => {
    const packed = readFileSync(path);
    if (!path.endsWith(".zip"))
      return readTar(gunzipSync(packed, { maxOutputLength: limits.tarBytes }), wanted);
    const found = unzipSync(packed, { filter: ({ name, originalSize }) => wanted(name, originalSize) });
    return Object.entries(found);
  });
  const read = unpacked.map(([name, content]) => ({ name, ...textOf(content) }));
  return [...read, ...refused].sort((a, b) => (a.name < b.name ? -1 : 1));
}

function textOf(content: Uint8Array): { text: string } | { error: string } {
  try {
    return { text: new TextDecoder("utf-8", { fatal: true }).decode(content) };
  } catch {
    return { error: "is not UTF-8 text" };
  }
}

function unreadable<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof Fault) throw error;
    throw refusal(path, `cannot be read: ${(error as Error).message}`);
  }
}

function refusal(path: string, why: string): Fault {
  return new Fault("invalid", `${path} ${why}`, { next: "nothing was sent" });
}
