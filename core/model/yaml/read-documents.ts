import { type Document, LineCounter, parseAllDocuments } from "yaml";
import { Fault } from "../fault.ts";
import { contentOf } from "./content.ts";
import { type Position, positionOf } from "./position.ts";

/** One YAML (or JSON) document with the way back from a field to its place. */
export interface YamlDocument {
  readonly value: unknown;
  /** `team.yaml:12:3` of a JSON pointer; the beginning of the document at least. */
  place(pointer: string): string;
}

/** YAML 1.2 core schema: `no` is a word, not false, and no tag makes code run. */
export const yamlOptions = {
  schema: "core",
  stringKeys: true,
  prettyErrors: false,
  resolveKnownTags: false,
} as const;

/** Reads every document of a text. */
export function readDocuments(text: string, source: string): YamlDocument[] {
  const counter = new LineCounter();
  const parsed = guarded(source, () => parseAllDocuments(text, { ...yamlOptions, lineCounter: counter }));
  const documents = Array.isArray(parsed) ? (parsed as Document.Parsed[]) : [];
  return documents
    .map((document) => readOne(document, counter, source))
    .filter((document) => document.value !== null);
}

function readOne(document: Document.Parsed, counter: LineCounter, source: string): YamlDocument {
  const trouble = document.errors[0] ?? document.warnings[0];
  if (trouble !== undefined) {
    const { line, col } = counter.linePos(trouble.pos[0]);
    throw unreadable(`${source}:${line}:${col}`, trouble.message);
  }
  const at = (position: Position | undefined) =>
    position === undefined ? source : `${source}:${position.line}:${position.column}`;
  const place = (pointer: string) => at(positionOf(document, counter, pointer));
  return { value: guarded(place(""), () => contentOf(document)), place };
}

/** The library throws for too many aliases, and the engine for too deep a nesting. */
function guarded<T>(place: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    const tooDeep = error instanceof RangeError;
    throw unreadable(
      place,
      tooDeep ? "nested too deeply" : error instanceof Error ? error.message : String(error),
    );
  }
}

function unreadable(place: string, why: string): Fault {
  return new Fault("invalid", `${place}: ${why}`, { next: "correct the file; nothing was sent" });
}
