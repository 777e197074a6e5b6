import type { Log } from "@reeve/control";
import { expect, test } from "vitest";
import { troubleLog } from "./trouble-log.ts";

function recorded() {
  const lines: string[] = [];
  const note = (level: string) => (detail: object, message: string) => {
    const { err: _, ...facts } = detail as { err?: unknown };
    lines.push(`${level} ${message} ${JSON.stringify(facts)}`);
  };
  const log: Log = { debug: note("debug"), info: note("info"), warn: note("warn"), error: note("error") };
  return { log, lines };
}

test("an outage is told when it begins, every ten seconds with the tries meanwhile, and when it ends", () => {
  const { log, lines } = recorded();
  let now = 0;
  const { onTrouble, onRecovery } = troubleLog(log, () => now);
  const refused = new Error("connection refused");
  for (; now < 25_000; now += 100) onTrouble("away", refused);
  onRecovery(25_040);
  onTrouble("away", refused);
  expect(lines).toEqual([
    'warn the database is in trouble {"trouble":"away"}',
    'warn the database is still in trouble {"trouble":"away","tries":100,"why":"connection refused"}',
    'warn the database is still in trouble {"trouble":"away","tries":100,"why":"connection refused"}',
    'warn the database is back {"awaySeconds":25}',
    'warn the database is in trouble {"trouble":"away"}',
  ]);
});

test("a shortage that comes back after a while is told anew, and meeting writers are no trouble", () => {
  const { log, lines } = recorded();
  let now = 0;
  const { onTrouble } = troubleLog(log, () => now);
  onTrouble("short", new Error("disk full"));
  onTrouble("again", new Error("deadlock"));
  now = 61_000;
  onTrouble("short", new Error("disk full"));
  expect(lines).toEqual([
    'warn the database is in trouble {"trouble":"short"}',
    "debug a transaction is run again {}",
    'warn the database is in trouble {"trouble":"short"}',
  ]);
});
