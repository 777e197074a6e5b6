import { isMap, isScalar, isSeq, type Node, parseDocument, type Scalar } from "yaml";
import type { Plain } from "./sops-value.ts";

/** A file of SOPS, whatever its format: what is said of the encryption, and its values in their order. */
export interface SopsFile {
  readonly about: SopsAbout;
  readonly leaves: readonly Leaf[];
  /** The file with the values as they are set by now, and without what was said of the encryption. */
  text(): string;
}

export interface SopsAbout {
  readonly lastmodified?: unknown;
  readonly mac?: unknown;
  readonly mac_only_encrypted?: unknown;
  readonly age?: unknown;
  readonly key_groups?: unknown;
  readonly [other: string]: unknown;
}

interface Leaf {
  readonly path: readonly string[];
  readonly value: Plain;
  set(value: Plain): void;
}

/** By the name, as SOPS itself chooses; undefined for a format that is not read here. */
export function readSops(path: string, text: string): SopsFile | undefined {
  if (/\.ya?ml$/.test(path)) return readTree(text, (root) => root.toString({ lineWidth: 0 }));
  if (path.endsWith(".json"))
    return readTree(text, (root) => `${jsonOf(root.toJS({ mapAsMap: true }), "")}\n`);
  if (path.endsWith(".env")) return readDotenv(text);
  if (path.endsWith(".ini")) return undefined;
  return readTree(text, (root) => String(root.get("data") ?? ""));
}

type Root = ReturnType<typeof parseDocument>;

/** JSON is YAML. */
function readTree(text: string, write: (root: Root) => string): SopsFile | undefined {
  const root = parseDocument(text, { intAsBigInt: true });
  if (root.errors.length > 0 || !isMap(root.contents)) return undefined;
  const about = (root.toJS({ maxAliasCount: 0 }) as { sops?: SopsAbout }).sops;
  if (about === undefined) return undefined;
  root.delete("sops");
  const leaves: Leaf[] = [];
  collect(root.contents as Node, [], leaves);
  return { about, leaves, text: () => write(root) };
}

/** Items of a list have the place of their list. */
function collect(node: unknown, path: readonly string[], into: Leaf[]): void {
  dropEncryptedComments(node as Node);
  if (isScalar(node)) into.push(leafOf(node as Scalar<Plain>, path));
  else if (isSeq(node)) for (const item of node.items) collect(item, path, into);
  else if (isMap(node))
    for (const { key, value } of node.items) {
      dropEncryptedComments(key as Node);
      collect(value, [...path, String(isScalar(key) ? key.value : key)], into);
    }
}

function leafOf(node: Scalar<Plain>, path: readonly string[]): Leaf {
  return {
    path,
    value: node.value,
    set(value) {
      node.value = value;
      // How it was written says nothing of what it is now.
      for (const part of ["type", "format", "source"] as const) delete node[part];
    },
  };
}

/** They are of no use to a service. */
function dropEncryptedComments(node: Node | null): void {
  if (node === null || typeof node !== "object") return;
  for (const where of ["comment", "commentBefore"] as const)
    if (node[where]?.includes("ENC[")) delete node[where];
}

/** In the order of the file, which objects do not keep for names that are numbers. */
function jsonOf(value: unknown, indent: string): string {
  const inner = `${indent}\t`;
  const wrap = (open: string, items: string[], close: string) =>
    items.length === 0
      ? `${open}${close}`
      : `${open}\n${items.map((item) => inner + item).join(",\n")}\n${indent}${close}`;
  if (value instanceof Map)
    return wrap(
      "{",
      [...value].map(([key, item]) => `${JSON.stringify(String(key))}: ${jsonOf(item, inner)}`),
      "}",
    );
  if (Array.isArray(value))
    return wrap(
      "[",
      value.map((item) => jsonOf(item, inner)),
      "]",
    );
  return typeof value === "bigint" ? `${value}` : JSON.stringify(value);
}

const aboutPrefix = "sops_";

/** Line breaks in values are written as \n, and what is said of the encryption as `sops_age__list_0__map_enc`. */
function readDotenv(text: string): SopsFile {
  const about: Record<string, unknown> = {};
  const lines: { key: string; value: string }[] = [];
  for (const line of text.split(/\r?\n/)) {
    const at = line.indexOf("=");
    if (line.trim() === "" || line.startsWith("#") || at < 0) continue;
    const [key, value] = [line.slice(0, at), line.slice(at + 1).replaceAll("\\n", "\n")];
    if (key.startsWith(aboutPrefix)) about[key.slice(aboutPrefix.length)] = value;
    else lines.push({ key, value });
  }
  return {
    about: unflattened(about),
    leaves: lines.map((line) => ({
      path: [line.key],
      value: line.value,
      set(value) {
        line.value = String(value);
      },
    })),
    text: () => lines.map(({ key, value }) => `${key}=${value.replaceAll("\n", "\\n")}\n`).join(""),
  };
}

function unflattened(flat: Record<string, unknown>): SopsAbout {
  const nested: Record<string, unknown> = {};
  const ages: Record<string, unknown>[] = [];
  for (const [key, value] of Object.entries(flat)) {
    const [, name = "", index = "", field = ""] = /^(\w+?)__list_(\d+)__map_(\w+)$/.exec(key) ?? [];
    if (name === "age") ages[Number(index)] = { ...ages[Number(index)], [field]: value };
    else nested[name === "" ? key : name] = value;
  }
  return { ...nested, ...(ages.length > 0 && { age: ages.filter(Boolean) }) };
}
