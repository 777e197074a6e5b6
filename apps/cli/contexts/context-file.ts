import {
  chmodSync,
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  statSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import { readDocuments, toYaml } from "@reeve/model/yaml";
import { type Contexts, readContexts } from "./contexts.ts";

/** The file of contexts: private to its owner, replaced as a whole or not at all. */
export interface ContextFile {
  readonly path: string;
  read(): Contexts;
  change(change: (contexts: Contexts) => Contexts): void;
}

export function openContextFile(path: string, say: (text: string) => void): ContextFile {
  function read(): Contexts {
    const text = readOrEmpty(path);
    if (text === "") return { contexts: {} };
    if (makePrivate(path)) say(`${path} could be read by others; it is private now`);
    const [document] = readDocuments(text, path);
    return document === undefined ? { contexts: {} } : readContexts(document);
  }
  return {
    path,
    read,
    change: (change) =>
      replace(path, `# Written by reeve login and reeve context.\n${toYaml(change(read()))}`),
  };
}

/** The tokens in it are as good as passwords. */
function makePrivate(path: string): boolean {
  if ((statSync(path).mode & 0o077) === 0) return false;
  chmodSync(path, 0o600);
  return true;
}

/** Whoever keeps the file elsewhere behind a link keeps the link. */
function replace(path: string, text: string): void {
  const target = readLink(path);
  mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
  const temporary = `${target}.${process.pid}.tmp`;
  const file = openSync(temporary, "w", 0o600);
  try {
    writeSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(temporary, target);
}

function readLink(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "";
    throw error;
  }
}
