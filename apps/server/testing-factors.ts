import { createHmac } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { TestServer } from "./testing.ts";
import { done, type Person, password, personWith, signIn } from "./testing-people.ts";

/** An authenticator app as a phone has it: written here by the RFC, not with the server's own code. */
export interface App {
  readonly seed: string;
  /** The code of now, or of so many half minutes later. */
  code(later?: number): string;
}

export function openApp(seed: string): App {
  const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
  let bits = 0n;
  for (const letter of seed) bits = bits * 32n + BigInt(letters.indexOf(letter));
  const key = Buffer.from(bits.toString(16).padStart(40, "0"), "hex");
  return {
    seed,
    code(later = 0) {
      const counter = Buffer.alloc(8);
      counter.writeUInt32BE(Math.floor(Date.now() / 30_000) + later, 4);
      const mac = createHmac("sha1", key).update(counter).digest();
      const at = (mac[19] as number) & 15;
      return String((mac.readUInt32BE(at) & 0x7fffffff) % 1e6).padStart(6, "0");
    },
  };
}

const stepMs = 30_000;
/** Enough to fill a form in and send it. */
const hurryMs = 5000;

/** The code of the step before. It is taken as long as this step lasts, so not right before its end. */
export async function codeBefore(app: App): Promise<string> {
  const leftMs = stepMs - (Date.now() % stepMs);
  if (leftMs < hurryMs) await sleep(leftMs + 20);
  return app.code(-1);
}

export interface WithApp {
  readonly app: App;
  /** The code that the app was added with; the one of now is still free. */
  readonly usedCode: string;
  readonly person: Person;
}

/** Adds an app as the person would; the session goes on with another secret. */
export async function addApp(server: TestServer, person: Person): Promise<WithApp> {
  const { body: offer } = await done(person.call("POST", "/factors/totp/seed", { body: {} }));
  const app = openApp(offer.seed);
  const usedCode = await codeBefore(app);
  const body = { seed: app.seed, code: usedCode, name: "phone" };
  const added = await done(person.call("POST", "/factors/totp", { body }));
  return { app, usedCode, person: personWith(server, person.name, added.body.token) };
}

/** A user who signs in with a password and an app. */
export async function withApp(server: TestServer, name: string): Promise<WithApp> {
  return addApp(server, personWith(server, name, await signIn(server, name)));
}

/** The first step: what a user with a second factor gets for the password. */
export async function firstStep(server: TestServer, user: string, from: string): Promise<string> {
  const headers = { "x-forwarded-for": from };
  const first = await done(
    server.call("POST", "/sessions", { token: null, headers, body: { user, password } }),
  );
  return first.body.pending;
}

export function secondStep(server: TestServer, pending: string, code: string, from: string) {
  const headers = { "x-forwarded-for": from };
  return server.call("POST", "/sessions/second-step", { token: null, headers, body: { pending, code } });
}
