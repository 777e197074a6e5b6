import { randomBytes } from "node:crypto";
import { inject, onTestFinished } from "vitest";
import { withDatabase } from "./connection.ts";
import { type Database, openDatabase } from "./database.ts";
import { templateName } from "./testing-setup.ts";

export { loggingRun } from "./logs/testing.ts";
export { areaMigrations } from "./testing-setup.ts";

/** A database of this test's own, cloned from the migrated template; it goes when the test ends. */
export async function testDatabase(
  options: { template?: string } = {},
): Promise<{ database: Database; url: string }> {
  const server = inject("reevePostgres");
  const name = `t_${randomBytes(6).toString("hex")}`;
  const admin = openDatabase({ url: server, connections: 1 });
  // Two tests that clone at the same moment disturb each other; the second simply tries again.
  for (let tries = 1; ; tries++) {
    try {
      await admin.query(`create database ${name} template ${options.template ?? templateName}`);
      break;
    } catch (error) {
      if (tries >= 50 || !String(error).includes("being accessed by other users")) throw error;
      await new Promise((resolve) => setTimeout(resolve, 20 + Math.random() * 50));
    }
  }
  const url = withDatabase(server, name);
  const database = openDatabase({ url, connections: 8, patienceMs: 5000 });
  onTestFinished(async () => {
    await database.close();
    await admin.query(`drop database if exists ${name} with (force)`);
    await admin.close();
  });
  return { database, url };
}
