import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readEnvironment } from "../config.ts";
import { chooseConnection } from "./connection.ts";
import { openContextFile } from "./context-file.ts";
import { withContext } from "./contexts.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "reeve-contexts-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const all = {
  current: "home",
  contexts: {
    home: { url: "https://home.example", token: "home-token", scope: "acme/shop" },
    other: { url: "https://other.example/", token: "other-token", ca: "pem" },
  },
};

test("what was written is read again, private and whole", () => {
  const file = openContextFile(join(folder, "deep", "config.yaml"), () => undefined);
  file.change((before) => withContext(before, "home", all.contexts.home));
  expect(file.read()).toEqual({ current: "home", contexts: { home: all.contexts.home } });
  expect(statSync(file.path).mode & 0o777).toBe(0o600);
  expect(readdirSync(join(folder, "deep"))).toEqual(["config.yaml"]);
});

test("a file others could read is made private, and that is said", () => {
  const path = join(folder, "config.yaml");
  writeFileSync(path, "contexts: {}\n", { mode: 0o644 });
  const said: string[] = [];
  openContextFile(path, (text) => said.push(text)).read();
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(said).toHaveLength(1);
});

test("a bad file is refused with its line, and left as it is", () => {
  const path = join(folder, "config.yaml");
  const text = "contexts:\n  home:\n    url: https://x\n    tokn: y\n";
  writeFileSync(path, text, { mode: 0o600 });
  const file = openContextFile(path, () => undefined);
  expect(() => file.read()).toThrow(`${path}:4:5: unknown field tokn`);
  expect(() => file.change((before) => before)).toThrow();
  expect(readFileSync(path, "utf8")).toBe(text);
});

test("flag beats environment beats file", () => {
  const choose = (flags: object, env: object) =>
    chooseConnection(flags, readEnvironment(env as NodeJS.ProcessEnv), all);
  expect(choose({}, {})).toMatchObject({
    url: "https://home.example",
    token: "home-token",
    standing: { scope: "acme/shop", explicit: false },
  });
  expect(choose({}, { REEVE_CONTEXT: "other", REEVE_SCOPE: "x" })).toMatchObject({
    token: "other-token",
    ca: "pem",
    standing: { scope: "x" },
  });
  expect(
    choose({ context: "home", scope: "acme" }, { REEVE_CONTEXT: "other", REEVE_TOKEN: "t" }),
  ).toMatchObject({
    token: "home-token",
    standing: { scope: "acme", explicit: true },
  });
  expect(() => choose({ context: "none" }, {})).toThrow(/no context "none"/);
});

test("a context's token never goes to another server", () => {
  const choose = (env: object) => chooseConnection({}, readEnvironment(env as NodeJS.ProcessEnv), all);
  expect(choose({ REEVE_URL: "https://evil.example" })).not.toHaveProperty("token");
  expect(choose({ REEVE_URL: "https://evil.example", REEVE_CONTEXT: "home" })).not.toHaveProperty("token");
  expect(choose({ REEVE_URL: "https://other.example" })).toMatchObject({
    name: "other",
    token: "other-token",
  });
  expect(choose({ REEVE_URL: "https://evil.example", REEVE_TOKEN: "t" })).toMatchObject({ token: "t" });
});
