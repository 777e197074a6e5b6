/** One thing observed about a resource, in words: `Ready` is `false` because `ImagePullFailed`: …, since 10:04. */
export interface Condition {
  readonly type: string;
  readonly status: "true" | "false" | "unknown";
  readonly reason: string;
  readonly message: string;
  readonly since: string;
}

/** Sets a condition; `since` moves only when the status itself changes. */
export function withCondition(
  conditions: readonly Condition[],
  next: Omit<Condition, "since">,
  now: string,
): Condition[] {
  const before = conditions.find((one) => one.type === next.type);
  const since = before !== undefined && before.status === next.status ? before.since : now;
  return [...conditions.filter((one) => one.type !== next.type), { ...next, since }];
}
