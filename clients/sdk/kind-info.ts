import type { JsonObject, Level, Permission } from "@reeve/model";

/** A kind as the server tells it: enough to address, explain and complete kinds this program was not built with. */
export interface KindInfo {
  readonly name: string;
  readonly plural: string;
  readonly shortNames: readonly string[];
  readonly summary: string;
  readonly levels: readonly Level[];
  readonly opensScope?: boolean;
  /** Verbs that only read, beside `read` itself. */
  readonly reads: readonly string[];
  /** Verbs that only the role `owner` has. */
  readonly ownerOnly: readonly string[];
  readonly actions: Readonly<Record<string, ActionInfo>>;
  readonly fields: readonly string[];
  readonly columns: readonly ColumnInfo[];
  /** JSON Schema. */
  readonly spec: JsonObject;
  readonly status: JsonObject;
  readonly example: string;
  readonly permissions: readonly Permission[];
}

export interface ActionInfo {
  readonly summary: string;
  /** JSON Schema. */
  readonly input: JsonObject;
  readonly output: JsonObject;
  /** Its input or answer holds a secret, which is never kept. */
  readonly secret: boolean;
  /** Needs a session that proved its identity in the last minutes. */
  readonly fresh: boolean;
}

export interface ColumnInfo {
  readonly title: string;
  readonly wide?: boolean;
}

/** Whether a person may have meant this kind: its name, plural or a short name, in any case. */
export function answersTo(kind: Pick<KindInfo, "name" | "plural" | "shortNames">, word: string): boolean {
  const wanted = word.toLowerCase();
  return kind.name.toLowerCase() === wanted || kind.plural === wanted || kind.shortNames.includes(wanted);
}
