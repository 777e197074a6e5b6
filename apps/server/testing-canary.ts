import { randomBytes } from "node:crypto";
import { vi } from "vitest";
import type { TestServer } from "./testing.ts";
import type { Person } from "./testing-people.ts";

/** Something secret that was given to the server, or made by it, in one of the ways there are. */
export interface Plant {
  readonly what: string;
  /** The secrets, and the answers to whoever gave them: those must not repeat them either. */
  readonly plant: (server: TestServer) => Promise<Planted>;
}

export interface Planted {
  readonly secrets: readonly string[];
  readonly answers?: readonly unknown[];
  /** Those who have something of their own that only they can read. */
  readonly people?: readonly Person[];
}

/** Everything that can be read in one place, as text. */
export interface Crawl {
  readonly what: string;
  /** The marker stands in specs. What does not show them is pages for everybody. */
  readonly showsSpecs: boolean;
  readonly read: (server: TestServer, people: readonly Person[]) => Promise<string>;
}

/** Letters and digits only: it reads the same in JSON, in a URL and in SQL. */
export function newCanary(): string {
  return `canary${randomBytes(18).toString("hex")}`;
}

/** Planted too, and no secret: a crawl that ought to find it and does not looks at nothing. */
export const marker = newCanary();

/** Where a text holds a secret, in any of the ways it may be written. */
export function findSecret(text: string, secret: string): string[] {
  if (secret.length < 7) throw new Error("so short a text is found everywhere: it is no planted secret");
  const forms = {
    plain: secret,
    hex: Buffer.from(secret).toString("hex"),
    ...Object.fromEntries([0, 1, 2].map((shift) => [`base64 (${shift})`, base64Core(secret, shift)])),
  };
  return Object.entries(forms)
    .filter(([, form]) => text.includes(form))
    .map(
      ([name, form]) => `${name}: …${text.slice(Math.max(0, text.indexOf(form) - 200), text.indexOf(form))}`,
    );
}

/** What is the same in base64, whatever stands before and after. */
function base64Core(secret: string, shift: number): string {
  const text = Buffer.from("x".repeat(shift) + secret).toString("base64url");
  return text.slice(Math.ceil((shift * 4) / 3), Math.floor(((shift + secret.length) * 4) / 3));
}

/** Hears everything this process writes from now on; the server logs to stderr. */
export function hearOutput(): { readonly text: () => string; readonly stop: () => void } {
  const heard: string[] = [];
  const spies = [process.stderr, process.stdout].map((stream) =>
    vi.spyOn(stream, "write").mockImplementation((chunk) => {
      heard.push(String(chunk));
      return true;
    }),
  );
  return {
    text: () => heard.join(""),
    stop() {
      for (const spy of spies) spy.mockRestore();
    },
  };
}
