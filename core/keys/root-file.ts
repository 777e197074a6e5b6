import { randomBytes } from "node:crypto";
import { mkdir, open } from "node:fs/promises";
import { dirname } from "node:path";
import { Fault } from "@reeve/model";
import { keyBytes } from "./cipher.ts";
import { localKey, parseKeys, type RootPlace } from "./root.ts";

/** A file with a key on each line, the newest last, closed to others on the machine. It is only ever appended to. */
export function rootFile(path: string): RootPlace {
  const where = `the file ${path} (REEVE_ROOT_KEY_FILE)`;

  async function read(): Promise<string> {
    const file = await open(path, "r").catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return undefined;
      throw new Error(`${where} cannot be read`, { cause: error });
    });
    if (file === undefined) return "";
    try {
      if (((await file.stat()).mode & 0o007) !== 0)
        throw new Error(`${where} is open to everybody on this machine: \`chmod 600 ${path}\``);
      return await file.readFile("utf8");
    } finally {
      await file.close();
    }
  }

  return {
    where,
    seenByAll: false,
    keys: async () => parseKeys(await read(), "\n", where),
    async make() {
      const text = await read();
      const bytes = randomBytes(keyBytes);
      await append(path, `${/[^\n]$/.test(text) ? "\n" : ""}${bytes.toString("base64")}\n`).catch((cause) => {
        throw new Fault("precondition", `${where} cannot be written: ${(cause as Error).message}`, {
          next: "append a new key yourself (`openssl rand -base64 32` makes one), then try again",
          cause,
        });
      });
      return localKey(bytes);
    },
  };
}

/** On disk, name included, before anything is closed by the key. */
async function append(path: string, line: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const file = await open(path, "a", 0o600);
  await file.appendFile(line);
  await file.sync();
  await file.close();
  const folder = await open(dirname(path), "r");
  await folder.sync();
  await folder.close();
}
