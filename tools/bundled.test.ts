import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { bundled } from "./bundled.mjs";

const main = "apps/app/main.txt";
let root: string;

/** Bundles the only source there is; one that says so breaks it, or changes meanwhile. */
const bundler = `
  import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
  import { join } from "node:path";
  const source = join(import.meta.dirname, "main.txt");
  const text = readFileSync(source, "utf8");
  if (text === "broken") process.exit(1);
  copyFileSync(source, join(process.argv[2], "app.txt"));
  if (text === "hasty") writeFileSync(source, "hasty");
  console.log(source);
`;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "reeve-bundled-"));
  mkdirSync(join(root, "apps", "app"), { recursive: true });
  writeFileSync(join(root, "apps", "app", "bundle.ts"), bundler);
  write("package-lock.json", "{}");
  write(main, "first");
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

test("what was made is used again, until something in it has changed", () => {
  const first = bundled("app", root);
  expect(content(first)).toBe("first");
  expect(bundled("app", root)).toBe(first);
  write(main, "other");
  const second = bundled("app", root);
  expect(content(second)).toBe("other");
  expect(second).not.toBe(first);
  // One that runs may still need the files it was started from.
  expect(content(first)).toBe("first");
});

test("other dependencies make it anew", () => {
  const first = bundled("app", root);
  write("package-lock.json", '{ "lockfileVersion": 3 }');
  expect(bundled("app", root)).not.toBe(first);
});

test("what changes while it is made is used once, and not kept", () => {
  write(main, "hasty");
  expect(content(bundled("app", root))).toBe("hasty");
  expect(readdirSync(join(root, ".cache", "app"))).not.toContain("newest.json");
});

test("several that start at once all get a whole one", async () => {
  const module = pathToFileURL(join(import.meta.dirname, "bundled.mjs")).href;
  const script = `
    import { readFileSync } from "node:fs";
    import { bundled } from "${module}";
    process.stdout.write(readFileSync(bundled("app", process.argv[1]) + "/app.txt", "utf8"));
  `;
  const starts = Array.from({ length: 6 }, async () => {
    const child = spawn(process.execPath, ["--input-type=module", "-e", script, root]);
    const [said] = await Promise.all([child.stdout.toArray(), once(child, "close")]);
    return said.join("");
  });
  expect(await Promise.all(starts)).toEqual(Array(6).fill("first"));
});

test("where nothing can be kept, or it cannot be made, the app is left to its sources", () => {
  write(main, "broken");
  expect(bundled("app", root)).toBeUndefined();
  expect(readdirSync(join(root, ".cache", "app"))).toEqual([]);
  write(main, "whole");
  rmSync(join(root, ".cache"), { recursive: true });
  writeFileSync(join(root, ".cache"), "no folder");
  expect(bundled("app", root)).toBeUndefined();
});

/** An hour ago, so that it is no change of this moment. */
function write(name: string, text: string): void {
  writeFileSync(join(root, name), text);
  const hourAgo = Date.now() / 1000 - 3600;
  utimesSync(join(root, name), hourAgo, hourAgo);
}

function content(folder: string | undefined): string {
  return readFileSync(join(folder ?? "", "app.txt"), "utf8");
}
