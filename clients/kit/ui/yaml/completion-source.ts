import type { Completion, CompletionContext, CompletionResult } from "@codemirror/autocomplete";
import type { SchemaAt } from "../schema/schema.ts";
import { cursorAt } from "./cursor.ts";
import { type Suggestion, suggest } from "./suggest.ts";

/** Offers what the schema allows where the cursor stands, and the names of resources where one is referred to. */
export function completionSource(
  schema: () => SchemaAt | undefined,
  namesOf: (kind: string) => Promise<readonly string[]>,
) {
  return async (context: CompletionContext): Promise<CompletionResult | null> => {
    const known = schema();
    const cursor = cursorAt(context.state.doc.toString(), context.pos);
    if (known === undefined || cursor === undefined) return null;
    // An empty line offers only when asked: whoever ends a line is not always looking for a key.
    if (cursor.writes === "key" && cursor.from === context.pos && !context.explicit) return null;
    const { words, kind } = suggest(known, cursor);
    const names = kind === undefined ? [] : (await namesOf(kind)).map((label) => ({ label, detail: kind }));
    const options = [...words.map(completion), ...names];
    return options.length === 0 ? null : { from: cursor.from, options, validFor: /^[\w./-]*$/ };
  };
}

/** Of two suggestions the one that comes first stays first: required fields lead. */
function completion({ label, apply, detail, info }: Suggestion, index: number): Completion {
  return {
    label,
    apply,
    boost: -index,
    ...(detail === undefined ? {} : { detail }),
    ...(info === undefined ? {} : { info }),
  };
}
