import { defineConfig } from "vitest/config";

/** Whole-system tests start servers and agents, and not beside another project, or two cores measure each other. */
const wholeSystem = (groupOrder: number) => ({
  sequence: { groupOrder },
  testTimeout: 180_000,
  hookTimeout: 180_000,
});
const inBrowser = "tests/stories/console-*.test.ts";
/** Weather that waits for the most part, and promises no seconds: two of it fit on two cores. */
const calm = "tests/weather/{audit,backup,disk-full,failover,key-rotation,runs-outage,services}.test.ts";

/** Whole replicas within the test's process, asked thousands of things: too many for every `npm run check`. */
const wholeReplicas = [
  "apps/server/**/*.test.ts",
  "core/control/{peers,doors/connect}/**/*.test.ts",
  // Engines, agents and the processes that they start, which die and come back.
  "core/{runs,agent}/**/*.test.ts",
  "areas/workflows/agent/*.test.ts",
  "areas/services/agent/**/*.test.ts",
  // Databases of every version that there was, more with each migration, and some that die.
  "core/store/{migrate,database}.test.ts",
  "areas/backup/control/restore.test.ts",
  // Waits until a server is in a hurry.
  "core/control/doors/hurry.test.ts",
];

export default defineConfig({
  test: {
    // Once for all projects: it makes the template database that each test's own database is cloned from.
    globalSetup: ["core/store/testing-setup.ts"],
    maxWorkers: 2,
    // A forgotten `.only` must not hide the rest, not even on one's own machine.
    allowOnly: false,
    // What is waited for comes by itself; on a busy machine it may take a minute instead of vitest's second.
    expect: { poll: { timeout: 60_000 } },
    projects: [
      {
        extends: true,
        test: {
          name: "fast",
          include: ["{core,areas,clients,apps,tools}/**/*.test.ts"],
          exclude: [...wholeReplicas, "**/node_modules/**"],
          // Nothing here changes a module for others, and loading the same modules for each file was half of the work.
          isolate: false,
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
      {
        extends: true,
        test: {
          name: "server",
          include: wholeReplicas,
          ...wholeSystem(1),
        },
      },
      {
        extends: true,
        // Three at once: one alone has a third of two cores busy (a command or a server that starts), and waits otherwise.
        test: {
          name: "stories",
          maxWorkers: 3,
          include: ["tests/stories/**/*.test.ts"],
          exclude: [inBrowser],
          ...wholeSystem(2),
        },
      },
      {
        extends: true,
        // A browser beside its server fills both cores by itself.
        test: {
          name: "stories-in-browser",
          include: [inBrowser],
          fileParallelism: false,
          ...wholeSystem(3),
        },
      },
      { extends: true, test: { name: "weather-in-pairs", include: [calm], ...wholeSystem(4) } },
      {
        extends: true,
        // What it promises is promised in seconds.
        test: {
          name: "weather",
          include: ["tests/weather/**/*.test.ts"],
          exclude: [calm],
          fileParallelism: false,
          ...wholeSystem(5),
        },
      },
    ],
  },
});
