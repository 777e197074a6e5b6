import type { JsonObject, Resource } from "@reeve/model";
import { toYaml } from "@reeve/model/yaml";
import type { CallFault, Difference, KindInfo } from "@reeve/sdk";
import { useEffect, useMemo, useState } from "react";
import { asFault, client } from "../../client.ts";
import { manifestSchema } from "../../ui/schema/manifest-schema.ts";
import type { SchemaAt } from "../../ui/schema/schema.ts";
import { complete } from "../writable.ts";
import { placed, type Reading, readText } from "./checks.ts";

/** What the server would make of it. */
interface Rehearsal {
  readonly of: string;
  readonly difference?: Difference<Resource>;
  readonly fault?: CallFault;
}

export interface DraftState extends Reading {
  readonly schema: SchemaAt;
  /** Of the text as it stands; undefined while the server is being asked. */
  readonly rehearsal: Rehearsal | undefined;
  setText(text: string): void;
  setValue(value: JsonObject): void;
}

/** A pause in typing this long is worth a question. */
const pauseMs = 400;

/**
 * A manifest that is being written, as text and as value: whichever was changed last leads. With `rehearse`, the server is asked
 * for its word at every pause.
 */
export function useDraft(kind: KindInfo, initial: string, rehearse: boolean): DraftState {
  const schema = useMemo(() => manifestSchema(kind), [kind]);
  const [text, setText] = useState(initial);
  const reading = useMemo(() => readText(text, schema), [text, schema]);
  const [rehearsal, setRehearsal] = useState<Rehearsal>();
  const { value, errors } = reading;
  const ready = rehearse && value !== undefined && errors.length === 0;
  useEffect(() => {
    if (!ready) return;
    const over = new AbortController();
    const timer = setTimeout(() => {
      client
        .kind(kind)
        .diff(complete(value), { signal: over.signal })
        .then(
          (difference) => setRehearsal({ of: text, difference }),
          (error: unknown) => over.signal.aborted || setRehearsal({ of: text, fault: asFault(error) }),
        );
    }, pauseMs);
    return () => {
      clearTimeout(timer);
      over.abort();
    };
  }, [ready, value, text, kind]);
  const current = ready && rehearsal?.of === text ? rehearsal : undefined;
  const told = current?.fault?.errors ?? [];
  return {
    ...reading,
    schema,
    errors: [...errors, ...told],
    problems: [...reading.problems, ...placed(text, told)],
    rehearsal: current,
    setText,
    setValue: (next) => setText(toYaml(next)),
  };
}
