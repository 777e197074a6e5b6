import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { components, needs, systemPostgres } from "./components.ts";

test("CI provides every component", () => {
  const script = readFileSync(new URL("../.ci/run", import.meta.url), "utf8");
  for (const { provide } of Object.values(components)) {
    for (const name of provide.replace("apt-get install -y ", "").split(/ (?:&& )?/))
      expect(script).toContain(name);
  }
});

test("a suite is skipped, with a record of the reason, exactly where a component is missing", async () => {
  // Whoever loads the components next, in another file too, gets those of this machine.
  onTestFinished(() => void vi.resetModules());
  for (const present of [true, false]) {
    vi.resetModules();
    const fresh = await import("./components.ts");
    vi.spyOn(fresh.components.postgresql, "probe").mockReturnValue(present);
    expect(fresh.needs("postgresql")).toEqual(
      present ? { skip: false, meta: {} } : { skip: true, meta: { missing: ["postgresql"] } },
    );
  }
});

describe("a system PostgreSQL", () => {
  let root: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), "reeve-components-"));
  });
  afterEach(() => rmSync(root, { recursive: true }));

  const install = (major: string, ...programs: string[]) => {
    mkdirSync(join(root, major, "bin"), { recursive: true });
    for (const program of programs) writeFileSync(join(root, major, "bin", program), "");
  };

  test("is the newest server that is new enough", () => {
    install("9.6", "postgres", "initdb");
    install("13", "postgres", "initdb");
    expect(systemPostgres(root)).toBeUndefined();
    install("14", "postgres", "initdb");
    install("16", "psql");
    expect(systemPostgres(root)).toBe(join(root, "14/bin"));
    install("15", "postgres", "initdb");
    expect(systemPostgres(root)).toBe(join(root, "15/bin"));
  });

  test("is not a folder that does not exist", () => {
    expect(systemPostgres(join(root, "none"))).toBeUndefined();
  });
});

describe("a declared suite", needs("postgresql"), () => {
  test("runs where its component is", () => {
    expect(systemPostgres()).toBeDefined();
  });
});
