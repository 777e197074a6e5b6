import { describe, expect, test } from "vitest";
import { readPackage } from "./rooms/packages.ts";
import { readSource } from "./rooms/source.ts";
import { findings } from "./rooms.ts";

/** A house in memory: package.json files are given by what they list, everything else by its text. */
function check(files: Record<string, string | { dependencies?: string[]; optional?: string[] }>): string[] {
  const sources = [];
  const packages = [];
  for (const [path, content] of Object.entries(files)) {
    if (typeof content === "string") sources.push(readSource(path, content));
    else packages.push(readPackage(path, manifest(path, content)));
  }
  return findings(sources, packages, ["vitest"]).map(
    ({ file, line, message }) => `${file}:${line}: ${message}`,
  );
}

function manifest(
  folder: string,
  { dependencies = [], optional = [] }: { dependencies?: string[]; optional?: string[] },
) {
  const list = (names: string[]) => Object.fromEntries(names.map((name) => [name, "1"]));
  const name = `@reeve/${folder.split("/")[1]}`;
  return JSON.stringify(
    { name, dependencies: list(dependencies), optionalDependencies: list(optional) },
    null,
    2,
  );
}

describe("rooms", () => {
  const house = {
    "core/model": {},
    "core/store": { dependencies: ["@reeve/model"] },
    "core/store/a.ts": 'import { x } from "@reeve/model";',
  };

  test("an import in the table's order is fine", () => {
    expect(check(house)).toEqual([]);
  });

  test("an import against the order names both rooms and the line", () => {
    const files = { "core/control": {}, "core/store": { optional: ["@reeve/control"] } };
    expect(check({ ...files, "core/store/b.ts": '/*\n*/\nexport * from "@reeve/control";' })).toEqual([
      "core/store/b.ts:3: room core/store may not import room core/control",
    ]);
  });

  test.each([
    ["areas/a/control/x.ts", "@reeve/b/control", "room areas/a/control may not import room areas/b/control"],
    ["areas/a/kinds/x.ts", "@reeve/control", "room areas/a/kinds may not import room core/control"],
    ["areas/a/agent/x.ts", "@reeve/a/control", "room areas/a/agent may not import room areas/a/control"],
    ["clients/sdk/x.ts", "@reeve/a/control", "room clients/sdk may not import room areas/a/control"],
    ["apps/cli/x.ts", "@reeve/server", "room apps/cli may not import room apps/server"],
    ["apps/cli/x.ts", "@reeve/store", "room apps/cli may not import room core/store"],
    ["core/control/x.ts", "@reeve/nothing", "there is no package @reeve/nothing"],
  ])("%s may not import %s", (file, specifier, message) => {
    const folders = [
      "core/control",
      "core/store",
      "areas/a",
      "areas/b",
      "clients/sdk",
      "apps/cli",
      "apps/server",
    ];
    const packages = Object.fromEntries(
      folders.map((folder) => [folder, { optional: [specifier.split("/", 2).join("/")] }]),
    );
    expect(check({ ...packages, [file]: `await import("${specifier}");` })).toEqual([
      `${file}:1: ${message}`,
    ]);
  });

  test.each([
    ["areas/a/kinds/x.ts", "@reeve/b/kinds"],
    ["areas/a/control/x.ts", "../store/points.ts"],
    ["areas/a/cli/x.ts", "@reeve/sdk"],
    ["clients/sdk/x.ts", "@reeve/a/kinds"],
    ["apps/server/x.ts", "@reeve/a/control"],
    ["areas/a/kinds/x.test.ts", "@reeve/store/testing"],
    ["areas/a/kinds/x.test.ts", "../../../tools/components.ts"],
    ["apps/cli/reeve.mjs", "../../tools/with-setup.mjs"],
    ["tests/stories/x.ts", "../../core/control/doors/rest.ts"],
  ])("%s may import %s", (file, specifier) => {
    const listed = { optional: ["@reeve/a", "@reeve/b", "@reeve/sdk"] };
    const packages = {
      "core/store": {},
      "areas/a": listed,
      "areas/b": {},
      "clients/sdk": listed,
      "apps/server": listed,
    };
    expect(check({ ...packages, [file]: `import "${specifier}";` })).toEqual([]);
  });

  test("product code may not import what is there for tests", () => {
    expect(check({ ...house, "core/store/b.ts": 'import "./testing.ts";' })).toEqual([
      "core/store/b.ts:1: only tests may import core/store/testing.ts",
    ]);
  });

  test("another package is not entered by a path", () => {
    expect(check({ ...house, "core/store/b.ts": 'import "../model/ids.ts";' })).toEqual([
      "core/store/b.ts:1: import core/model by its package name: ../model/ids.ts reaches past its entrance",
    ]);
  });

  test("two areas' kinds may not need each other", () => {
    const files = {
      "areas/a": { dependencies: ["@reeve/b"] },
      "areas/b": { dependencies: ["@reeve/a"] },
      "areas/a/kinds/x.ts": 'import "@reeve/b/kinds";',
      "areas/b/kinds/x.ts": 'import "@reeve/a/kinds";',
    };
    expect(check(files)).toEqual([
      "areas/a/kinds/x.ts:1: import cycle between rooms: areas/b/kinds → areas/a/kinds → areas/b/kinds",
    ]);
  });

  test("a file in no room is refused rather than overlooked", () => {
    const message = "stands in no room: move it, or add the room to tools/rooms/map.ts";
    expect(check({ "areas/a/x.ts": "" })).toEqual([`areas/a/x.ts:1: ${message}`]);
  });
});

describe("browsers", () => {
  const sdk = { "clients/sdk": {}, "clients/sdk/index.ts": 'export * from "./wire.ts";' };

  test("load nothing that only Node has, however far from the entrance", () => {
    expect(check({ ...sdk, "clients/sdk/wire.ts": 'import { x } from "node:http";' })).toEqual([
      "clients/sdk/wire.ts:1: browsers load this, and have no node:http",
    ]);
  });

  test("do not load types, nor what the entrance does not lead to", () => {
    const files = {
      "clients/sdk/wire.ts": 'import type { Server } from "node:http";',
      "clients/sdk/node-transport.ts": 'import http from "node:http";',
    };
    expect(check({ ...sdk, ...files })).toEqual([]);
  });
});

describe("package.json", () => {
  test("must list what is imported", () => {
    expect(check({ "core/model": {}, "core/model/a.ts": 'import type { Z } from "zod/v4";' })).toEqual([
      "core/model/a.ts:1: imports zod, which core/model/package.json does not list",
    ]);
  });

  test("must not list what only tests import", () => {
    expect(
      check({ "core/model": { dependencies: ["zod"] }, "core/model/a.test.ts": 'import "zod";' }),
    ).toEqual(["core/model/package.json:4: lists zod, which nothing in it but tests imports"]);
  });

  test("counts a package that is resolved and not imported, and code that was generated", () => {
    const files = {
      "core/protocol": { dependencies: ["swagger-ui-dist", "@bufbuild/protobuf"] },
      "core/protocol/a.ts": 'import.meta.resolve("swagger-ui-dist/index.css"); import fs from "node:fs";',
      "core/protocol/gen/a_pb.js": 'import { y } from "@bufbuild/protobuf/codegenv2"; export default y;',
    };
    expect(check(files)).toEqual([]);
  });

  test("lets tests use the root's development tools, and nothing else", () => {
    expect(check({ "core/model": {}, "core/model/a.test.ts": 'import "vitest";' })).toEqual([]);
    expect(check({ "core/model": {}, "core/model/a.ts": 'import "vitest";' })).toHaveLength(1);
  });
});

describe("habits", () => {
  const one = (file: string, text: string) =>
    check({ [file]: text }).map((line) => line.slice(file.length + 1));

  test.each([
    "const a = 1;\nprocess.env.HOME;",
    "const a = 1;\nprocess?.env;",
    'const a = 1;\nprocess["env"];',
    "const a = 1;\nconst { env } = process;",
    'const a = 1;\nimport { env } from "node:process";',
  ])("the environment is read only in config.ts: %s", (text) => {
    expect(one("core/control/a.ts", text)).toEqual(["2: process.env is read only in config.ts"]);
    for (const file of [
      "core/control/config.ts",
      "core/control/a.test.ts",
      "tests/load/a.ts",
      "apps/cli/reeve.mjs",
    ]) {
      expect(one(file, text)).toEqual([]);
    }
  });

  test.each([
    "spawn(a, b, { shell: true })",
    'import { spawn } from "node:child_process"; spawn(a, b, { shell: "bash" })',
  ])("no shells: %s", (text) =>
    expect(one("tools/a.ts", text)).toEqual(["1: no shells: pass an argv list without `shell`"]),
  );

  test.each([
    'import { exec } from "node:child_process";',
    'import { execSync as run } from "child_process";',
    'import * as processes from "node:child_process"; processes.exec("ls");',
    'const { exec } = await import("node:child_process");',
  ])("no shells: %s", (text) => {
    expect(one("tools/a.ts", text)).toEqual(["1: no shells: use execFile or spawn with an argv list"]);
  });

  test("what only looks like a shell or an environment is fine", () => {
    const text = `
      import { spawn } from "node:child_process"; // process.env, shell: true
      const found = /process.env "'/.exec(text) ?? 4 / 2 / 1;
      const account = { shell: z.string() }, says = "process.env", { pid } = process;
      const sql = \`select \${a ? \`process.env \${b}\` : {}} -- import x from "zod"\`;`;
    expect(one("tools/a.ts", text)).toEqual([]);
  });

  test("default exports are for tools that ask for them", () => {
    expect(one("tools/a.ts", "export default 1;")).toEqual(["1: no default exports"]);
    expect(one("tools/a.config.ts", "export default 1;")).toEqual([]);
    expect(one("core/store/testing-setup.ts", "export default 1;")).toEqual([]);
  });

  test.each(["tools/utils.ts", "tools/helpers/a.ts", "tools/types.test.ts"])("%s says nothing", (file) => {
    expect(one(file, "")).toEqual([expect.stringContaining("says nothing: name it after what it holds")]);
  });
});
