import type { Diagnostic } from "@codemirror/lint";
import { setDiagnostics } from "@codemirror/lint";
import { EditorState } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { useEffect, useRef } from "react";
import type { SchemaAt } from "../schema/schema.ts";
import classes from "./editor.module.css";
import { extensions } from "./extensions.ts";

export interface Problem {
  readonly from: number;
  readonly to: number;
  readonly message: string;
  /** A warning does not stand in the way. */
  readonly severity?: "error" | "warning";
}

export interface EditorProps {
  readonly text: string;
  readonly onChange?: (text: string) => void;
  /** What may be written; without it nothing is offered. */
  readonly schema?: SchemaAt;
  /** The names of a kind's resources, to complete references. */
  readonly namesOf?: (kind: string) => Promise<readonly string[]>;
  readonly problems?: readonly Problem[];
  readonly label: string;
  /** How high it grows before it scrolls. */
  readonly maxHeight?: string;
}

/** The text belongs to whoever uses the editor; it is put in only where it differs from what stands there. */
export function Editor(props: EditorProps) {
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(undefined);
  /** What the editor's own extensions ask: always the newest. */
  const newest = useRef(props);
  newest.current = props;
  const { text, problems, label } = props;
  // biome-ignore lint/correctness/useExhaustiveDependencies: one editor for as long as the page stands
  useEffect(() => {
    const state = EditorState.create({
      doc: text,
      extensions: extensions({
        label,
        readOnly: props.onChange === undefined,
        schema: () => newest.current.schema,
        namesOf: (kind) => newest.current.namesOf?.(kind) ?? Promise.resolve([]),
        onChange: (next) => newest.current.onChange?.(next),
      }),
    });
    const made = new EditorView({ state, parent: place.current as HTMLElement });
    view.current = made;
    return () => made.destroy();
  }, []);
  useEffect(() => {
    const made = view.current;
    const shown = made?.state.doc.toString();
    if (made === undefined || shown === text) return;
    made.dispatch({ changes: { from: 0, to: made.state.doc.length, insert: text } });
  }, [text]);
  useEffect(() => {
    const made = view.current;
    if (made === undefined) return;
    made.dispatch(
      setDiagnostics(
        made.state,
        (problems ?? []).map((one) => diagnostic(one, made.state.doc.length)),
      ),
    );
  }, [problems]);
  return <div ref={place} className={classes.editor} style={{ maxHeight: props.maxHeight ?? "60vh" }} />;
}

function diagnostic({ from, to, message, severity = "error" }: Problem, length: number): Diagnostic {
  return { from: Math.min(from, length), to: Math.min(Math.max(to, from), length), message, severity };
}
