import type { Hold } from "@reeve/sdk";

/** What keeps a resource from going, in words. */
export function holdText({ finalizer, kind, count, why }: Hold): string {
  const what =
    finalizer === undefined ? [count, kind].filter((part) => part !== undefined).join(" ") : finalizer;
  return why === undefined || why === "" ? what : `${what}: ${why}`;
}

export function holdsText(holds: readonly Hold[]): string {
  return holds.map(holdText).join("; ");
}
