import { Fault } from "./fault.ts";

const unitMs = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** Reads "90s", "15m", "12h", "30d" or a sum such as "1d12h" as milliseconds. */
export function parseDuration(text: string): number {
  const parts = [...text.matchAll(/(\d{1,9})([smhd])/g)];
  if (parts.length === 0 || parts.map((part) => part[0]).join("") !== text)
    throw new Fault("invalid", `${JSON.stringify(text)} is not a duration`, {
      next: "write a number with a unit: 90s, 15m, 12h, 30d",
    });
  return parts.reduce((sum, part) => sum + Number(part[1]) * unitMs[part[2] as keyof typeof unitMs], 0);
}

/** A short age for people: 5s, 12m, 3h, 40d. */
export function showDuration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 120) return `${seconds}s`;
  if (seconds < 7200) return `${Math.round(seconds / 60)}m`;
  if (seconds < 172_800) return `${Math.round(seconds / 3600)}h`;
  return `${Math.round(seconds / 86_400)}d`;
}
