import { appendFileSync, existsSync, readFileSync } from "node:fs";

/** What the system has acknowledged, kept outside of it and only ever appended to: this file is the judge. */
export interface Ledger<Entry> {
  write(entry: Entry): void;
  read(): Entry[];
}

export function openLedger<Entry>(file: string): Ledger<Entry> {
  return {
    write: (entry) => appendFileSync(file, `${JSON.stringify(entry)}\n`),
    read() {
      if (!existsSync(file)) return [];
      const lines = readFileSync(file, "utf8").split("\n").filter(Boolean);
      return lines.map((line) => JSON.parse(line) as Entry);
    },
  };
}
