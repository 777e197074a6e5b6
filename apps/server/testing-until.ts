import { expect } from "vitest";

/** Looks again and again until what it sees is this; the last look is what the test fails with. */
export async function seen<T>(look: () => T | Promise<T>, wanted: unknown, forMs = 60_000): Promise<void> {
  await expect.poll(look, { timeout: forMs, interval: 50 }).toEqual(wanted);
}
