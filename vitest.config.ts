import { existsSync } from "node:fs";
import { defineConfig } from "vitest/config";

/**
 * Whole-system tests start servers and agents: one file at a time, and not beside another project, or two cores
 * measure each other.
 */
const wholeSystem = (groupOrder: number) => ({
  fileParallelism: false,
  sequence: { groupOrder },
  testTimeout: 180_000,
  hookTimeout: 180_000,
});

export default defineConfig({
  test: {
    // Once for all projects: it makes the template database that each test's own database is cloned from.
    // The filter goes when the file has come.
    globalSetup: ["core/store/testing-setup.ts"].filter((file) => existsSync(file)),
    maxWorkers: 2,
    // A forgotten `.only` must not hide the rest, not even on one's own machine.
    allowOnly: false,
    // What is waited for comes by itself; on a busy machine it may take more than vitest's second.
    expect: { poll: { timeout: 10_000 } },
    projects: [
      {
        extends: true,
        test: {
          name: "fast",
          include: ["{core,areas,clients,apps,tools}/**/*.test.ts"],
          testTimeout: 30_000,
          hookTimeout: 30_000,
        },
      },
      {
        extends: true,
        test: { name: "stories", include: ["tests/stories/**/*.test.ts"], ...wholeSystem(1) },
      },
      {
        extends: true,
        test: { name: "weather", include: ["tests/weather/**/*.test.ts"], ...wholeSystem(2) },
      },
    ],
  },
});
