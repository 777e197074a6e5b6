/** Files by their path from the root, with their text. */
export type Made = ReadonlyMap<string, string>;

export interface Stale {
  file: string;
  why: string;
}

/** What differs between the files that should be there and those that are. */
export function staleFiles(made: Made, present: Made): Stale[] {
  const files = [...new Set([...made.keys(), ...present.keys()])].sort();
  return files.flatMap((file) => {
    const [wanted, found] = [made.get(file), present.get(file)];
    if (wanted === found) return [];
    if (wanted === undefined) return { file, why: "nothing makes it any more" };
    if (found === undefined) return { file, why: "is missing" };
    return { file, why: `is out of date at line ${differingLine(wanted, found)}` };
  });
}

function differingLine(wanted: string, found: string): number {
  const lines = found.split("\n");
  const at = wanted.split("\n").findIndex((line, index) => line !== lines[index]);
  return (at < 0 ? lines.length - 1 : at) + 1;
}
