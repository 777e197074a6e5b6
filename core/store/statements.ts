interface Runner {
  query(config: { name?: string; text: string; values: unknown[] }): Promise<{ rows: unknown[] }>;
}

const statementNames = new Map([
  ["begin", "begin"],
  ["commit", "commit"],
]);
const statementsLimit = 500;

/**
 * Statements are prepared under a name of their own, so that the server parses and plans each only once. Selectors make
 * new texts, so the number of named ones is bounded. Without values it may be several in one text, which have no name.
 */
export function statementName(text: string, values: readonly unknown[]): string | undefined {
  const known = statementNames.get(text);
  if (known !== undefined || values.length === 0 || statementNames.size >= statementsLimit) return known;
  const name = `s${statementNames.size}`;
  statementNames.set(text, name);
  return name;
}

export async function run<Row>(
  runner: Runner,
  text: string,
  values: readonly unknown[] = [],
): Promise<Row[]> {
  const name = statementName(text, values);
  return (await runner.query({ ...(name && { name }), text, values: values as unknown[] })).rows as Row[];
}
