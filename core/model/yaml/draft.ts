import { type Document, LineCounter, parseDocument } from "yaml";
import { contentOf } from "./content.ts";
import { placeIn } from "./position.ts";
import { yamlOptions } from "./read-documents.ts";

/** A stretch of a text, in characters from its start. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
}

/** One document that a person is still writing: what it says if it can be read, and what is in the way if not. */
export interface YamlDraft {
  readonly value: unknown;
  readonly troubles: readonly (Stretch & { readonly message: string })[];
  /** Where a JSON pointer leads: the key of the field, or the nearest place above it that is there. */
  stretch(pointer: string): Stretch;
}

export function readDraft(text: string): YamlDraft {
  const document = parseDocument(text, { ...yamlOptions, lineCounter: new LineCounter() });
  const troubles = [...document.errors, ...document.warnings].map(({ pos: [from, to], message }) => ({
    from: Math.min(from, text.length),
    to: Math.min(Math.max(to, from), text.length),
    message,
  }));
  const stretch = (pointer: string) => placeIn(document, pointer) ?? { from: 0, to: 0 };
  if (troubles.length > 0) return { value: undefined, troubles, stretch };
  return { ...readContent(document), stretch };
}

function readContent(document: Document.Parsed): Pick<YamlDraft, "value" | "troubles"> {
  try {
    return { value: contentOf(document), troubles: [] };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { value: undefined, troubles: [{ from: 0, to: 0, message }] };
  }
}
