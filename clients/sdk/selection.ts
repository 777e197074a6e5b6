/** Which resources of a collection: the same words for a list and for a watch. */
export interface Selection {
  /** `tier=web,env!=dev,team in (a,b),canary,!old`, or plain pairs. */
  readonly labels?: string | Readonly<Record<string, string>>;
  /** `spec.role=owner`, or plain pairs. */
  readonly fields?: string | Readonly<Record<string, string>>;
  /** Also the scopes below. */
  readonly deep?: boolean;
}

export function selectionQuery({ labels, fields, deep }: Selection): Record<string, string | undefined> {
  return { labels: selector(labels), fields: selector(fields), deep: deep ? "true" : undefined };
}

function selector(given: string | Readonly<Record<string, string>> | undefined): string | undefined {
  if (given === undefined || typeof given === "string") return given || undefined;
  return (
    Object.entries(given)
      .map(([key, value]) => `${key}=${value}`)
      .join(",") || undefined
  );
}
