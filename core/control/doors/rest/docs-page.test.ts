import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { docsCsp, docsFiles } from "./docs-page.ts";

const files = docsFiles();

async function text(path: string): Promise<string> {
  return String(await files.get(path)?.read());
}

test("the page loads only files that are served with it, and has no script of its own inside", async () => {
  const page = await text("/docs/");
  const asked = [...page.matchAll(/(?:src|href)="([^"]*)"/g)].map((found) => found[1] ?? "");
  expect(asked).toContain("/docs/swagger-ui-bundle.js");
  const served = [...files.keys(), "/openapi.json", "data:,"];
  expect(asked.filter((path) => !served.includes(path))).toEqual([]);
  expect(page).not.toMatch(/<script(?![^>]*\ssrc=)|<style|\son\w+=/);
});

test("the page asks nobody else", async () => {
  expect(docsCsp).not.toMatch(/https?:|\*/);
  for (const path of ["/docs/", "/docs/docs.js", "/docs/docs.css"])
    expect(await text(path)).not.toMatch(/https?:/);
  expect(await text("/docs/docs.js")).toContain("validatorUrl: null");
});

test.each([...files.keys()])("%s is there, compressed too, and kept once read", async (path) => {
  const file = files.get(path);
  const plain = await file?.read();
  expect(plain?.length).toBeGreaterThan(0);
  expect(gunzipSync((await file?.readGzip()) as Buffer).equals(plain as Buffer)).toBe(true);
  expect(await file?.read()).toBe(plain);
});
