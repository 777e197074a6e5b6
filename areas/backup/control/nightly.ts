/**
 * The workflow that makes backups, given to an installation that has a storage for them and no workflow of this name. From then on
 * it is like any other: people change its time, add channels, pause it.
 */
export const nightlyBackup = {
  kind: "Workflow",
  metadata: { scope: "", name: "nightly-backup" },
  spec: {
    description:
      "Made by the server. Change its time, or whom it tells, as you like; pause it if you want no backups.",
    schedules: [{ name: "nightly", cron: "0 3 * * *", timezone: "UTC" }],
    concurrency: { most: 1, over: "skip" },
    timeout: "12h",
    steps: [{ name: "backup", make: { kind: "Backup", spec: { description: "${{ run.name }}" } } }],
  },
} as const;
