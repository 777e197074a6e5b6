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
  let silent = false;
  const query = async (text: string) => {
    if (silent && text.includes("from credential")) {
      looked++;
      await new Promise(() => {});
    }
    const leftMs = expiresAt - performance.now();
    vi.advanceTimersByTime(answerMs);
    if (!text.includes("from credential")) return [];
    looked++;
    const who = { id: "t", kind: "ServiceAccount", scope: "acme", name: "ci", uid: "u", leftMs };
    return leftMs > 0 ? [who] : [];
  };
  const tools = { database: { query }, roles: {} } as unknown as Tools;
  return {
    identity: openIdentity(tools),
    looked: () => looked,
    fallSilent: () => (silent = true),
  };
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

test("a token in use is looked up again while it is remembered, so that nobody waits; and is believed no longer for that", async () => {
  const { identity, looked, fallSilent } = slowDatabase(60_000);
  const credential = { secret: newSecret("token").text, carried: "bearer" } as const;
  await identity.identify(credential);
  vi.advanceTimersByTime(3000);
  for (let asked = 0; asked < 3; asked++)
    expect((await identity.identify(credential))?.subject.name).toBe("ci");
  await expect.poll(looked).toBe(2);
  // Six seconds after it was first looked up.
  vi.advanceTimersByTime(3000);
  fallSilent();
  expect((await identity.identify(credential))?.subject.name).toBe("ci");
  vi.advanceTimersByTime(3000);
  const asked = identity.identify(credential).then(() => "answered");
  expect(await Promise.race([asked, new Promise((resolve) => setTimeout(resolve, 50))])).toBeUndefined();
});

test("those that come with one token at once ask once, but not what was asked before a change", async () => {
  const { identity, looked, fallSilent } = slowDatabase(60_000);
  const credential = { secret: newSecret("token").text, carried: "bearer" } as const;
  const all = await Promise.all([1, 2, 3].map(() => identity.identify(credential)));
  expect(all.map((caller) => caller?.subject.name)).toEqual(["ci", "ci", "ci"]);
  expect(looked()).toBe(1);
  fallSilent();
  identity.forget("everybody");
  void identity.identify(credential);
  void identity.identify(credential);
  identity.forget("everybody");
  void identity.identify(credential);
  await expect.poll(looked).toBe(3);
});
