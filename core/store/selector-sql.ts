import { Fault, type Term } from "@reeve/model";

/** Parameters of a statement, numbered as they are added. */
export interface Values {
  readonly list: unknown[];
  add(value: unknown): string;
}

export function values(): Values {
  const list: unknown[] = [];
  return { list, add: (value) => `$${list.push(value)}` };
}

/** Label terms as SQL; the same meaning as `matches` in the model, which a property test holds them to. */
export function labelSql(terms: readonly Term[], params: Values): string[] {
  return terms.map((term) => {
    const key = params.add(term.key);
    if (term.test === "exists") return `labels ? ${key}`;
    if (term.test === "missing") return `not (labels ? ${key})`;
    if (term.test === "in" && term.values.length === 1)
      return `labels ->> ${key} = ${params.add(term.values[0])}`;
    const list = params.add(term.values);
    return term.test === "in"
      ? `labels ->> ${key} = any(${list}::text[])`
      : `not coalesce(labels ->> ${key} = any(${list}::text[]), false)`;
  });
}

export function fieldSql(terms: readonly Term[], params: Values): string[] {
  return terms.map((term) => {
    const text = fieldText(term.key, params);
    if (term.test === "exists") return `${text} is not null`;
    if (term.test === "missing") return `${text} is null`;
    const listed = `${text} = any(${params.add(term.values)}::text[])`;
    return term.test === "in" ? listed : `not coalesce(${listed}, false)`;
  });
}

function fieldText(field: string, params: Values): string {
  if (field === "metadata.name") return "name";
  if (field === "metadata.scope") return "scope";
  const [root, ...path] = field.split(".");
  if (root !== "spec" && root !== "status")
    throw new Fault("internal", `the field ${field} cannot be selected by`);
  return `(${root} #>> ${params.add(path)}::text[])`;
}
