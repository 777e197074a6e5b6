/** Amounts by what is counted: `resources`, `storageBytes`, and each kind by its plural. */
export type Amounts = Readonly<Record<string, number>>;

/** What is counted beside the resources of each kind. */
export const totals = ["resources", "storageBytes"] as const;

/** Counted by the engine of runs, and not by the write lane: those that have not ended. */
export const openRunsLimit = "runs";

/** The first limit that these additions would break. What adds nothing is fine, also when a limit was lowered below what is used. */
export function firstBroken(limits: Amounts, used: Amounts, added: Amounts): string | undefined {
  return Object.keys(limits).find(
    (what) => (added[what] ?? 0) > 0 && (used[what] ?? 0) + (added[what] ?? 0) > (limits[what] as number),
  );
}

export function sumOf(one: Amounts, other: Amounts): Amounts {
  const sum: Record<string, number> = { ...one };
  for (const [what, amount] of Object.entries(other)) sum[what] = (sum[what] ?? 0) + amount;
  return sum;
}
