import { randomBytes } from "node:crypto";
import { open } from "node:fs/promises";
import { join } from "node:path";

/** Writes so many bytes to a file and onto the disk: what any backup has to do at least. */
export async function copyFile(folder: string, bytes: number): Promise<void> {
  const chunk = randomBytes(64 * 1024);
  const file = await open(join(folder, "copy"), "w");
  for (let written = 0; written < bytes; written += chunk.length) await file.write(chunk);
  await file.sync();
  await file.close();
}
