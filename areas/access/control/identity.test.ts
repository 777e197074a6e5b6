import type { Tools } from "@reeve/control";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { openIdentity } from "./identity.ts";
import { newSecret } from "./secrets.ts";

const answerMs = 100;
beforeEach(() => void vi.useFakeTimers({ toFake: ["performance"] }));
afterEach(() => void vi.useRealTimers());

/** A database that is slow to answer, and counts what is left of the token at the moment it was asked. */
function slowDatabase(expiresInMs: number) {
  const expiresAt = performance.now() + expiresInMs;
  let looked = 0;
  const query = async (text: string) => {
    const leftMs = expiresAt - performance.now();
    vi.advanceTimersByTime(answerMs);
    if (!text.includes("from credential")) return [];
    looked++;
    const who = { id: "t", kind: "ServiceAccount", scope: "acme", name: "ci", uid: "u", leftMs };
    return leftMs > 0 ? [who] : [];
  };
  const tools = { database: { query }, roles: {} } as unknown as Tools;
  return { identity: openIdentity(tools), looked: () => looked };
}

test("a token is not remembered beyond its end, however long the database took to answer", async () => {
  const { identity } = slowDatabase(answerMs * 1.5);
  const credential = { secret: newSecret("token").text, carried: "bearer" } as const;
  expect((await identity.identify(credential))?.subject.name).toBe("ci");
  expect(await identity.identify(credential)).toBeUndefined();
});

test("a token with time left is looked up once", async () => {
  const { identity, looked } = slowDatabase(60_000);
  const credential = { secret: newSecret("token").text, carried: "bearer" } as const;
  for (let asked = 0; asked < 3; asked++) await identity.identify(credential);
  expect(looked()).toBe(1);
});
