import { type FileHandle, open, rename } from "node:fs/promises";
import { dirname } from "node:path";

/** Writes a file whole or not at all; when this returns, it outlasts a power cut, and so does its name. */
export async function writeLasting(file: string, content: string | Uint8Array): Promise<void> {
  const next = await open(`${file}.new`, "w", 0o600);
  try {
    await next.writeFile(content);
    await next.datasync();
  } finally {
    await next.close();
  }
  await rename(`${file}.new`, file);
  await syncFolder(file);
}

/** A new name is on the disk only when its folder is. */
export async function syncFolder(file: string): Promise<void> {
  const folder: FileHandle = await open(dirname(file));
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
