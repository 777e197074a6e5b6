import {
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
} from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { yaml } from "@codemirror/lang-yaml";
import {
  bracketMatching,
  foldGutter,
  foldKeymap,
  indentOnInput,
  indentUnit,
  syntaxHighlighting,
} from "@codemirror/language";
import { lintGutter, lintKeymap } from "@codemirror/lint";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import { EditorState, type Extension } from "@codemirror/state";
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from "@codemirror/view";
import { styleNonce } from "../../style-nonce.ts";
import type { SchemaAt } from "../schema/schema.ts";
import { colours } from "./colours.ts";
import { completionSource } from "./completion-source.ts";

export interface Wishes {
  readonly label: string;
  readonly readOnly: boolean;
  readonly schema: () => SchemaAt | undefined;
  readonly namesOf: (kind: string) => Promise<readonly string[]>;
  readonly onChange: (text: string) => void;
}

/** Tab indents; Escape and then Tab leaves the editor, as CodeMirror has it. */
export function extensions({ label, readOnly, schema, namesOf, onChange }: Wishes): Extension[] {
  return [
    EditorView.cspNonce.of(styleNonce()),
    // It scrolls: who has only a keyboard must come to it.
    EditorView.contentAttributes.of({ "aria-label": label, tabindex: "0" }),
    lineNumbers(),
    foldGutter(),
    history(),
    drawSelection(),
    indentOnInput(),
    indentUnit.of("  "),
    bracketMatching(),
    closeBrackets(),
    highlightSelectionMatches(),
    search({ top: true }),
    yaml(),
    syntaxHighlighting(colours),
    keymap.of([
      ...closeBracketsKeymap,
      ...defaultKeymap,
      ...searchKeymap,
      ...historyKeymap,
      ...foldKeymap,
      ...completionKeymap,
      ...lintKeymap,
      indentWithTab,
    ]),
    EditorState.readOnly.of(readOnly),
    ...(readOnly
      ? []
      : [
          highlightActiveLine(),
          lintGutter(),
          autocompletion({ override: [completionSource(schema, namesOf)], icons: false }),
        ]),
    EditorView.updateListener.of((update) => {
      if (update.docChanged) onChange(update.state.doc.toString());
    }),
  ];
}
