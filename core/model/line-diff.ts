export interface DiffLine {
  readonly sign: " " | "-" | "+";
  readonly text: string;
}

/** Beyond this many cells the exact comparison costs too much, and old-then-new says enough. */
const limitCells = 4_000_000;

/** The lines of two texts side by side: the longest common subsequence stays, the rest goes or comes. */
export function lineDiff(before: readonly string[], after: readonly string[]): DiffLine[] {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start++;
  let end = 0;
  const most = Math.min(before.length, after.length) - start;
  while (end < most && before[before.length - 1 - end] === after[after.length - 1 - end]) end++;
  return [
    ...signed(" ", before.slice(0, start)),
    ...middle(before.slice(start, before.length - end), after.slice(start, after.length - end)),
    ...signed(" ", before.slice(before.length - end)),
  ];
}

function middle(before: readonly string[], after: readonly string[]): DiffLine[] {
  if (before.length * after.length > limitCells) return [...signed("-", before), ...signed("+", after)];
  const width = after.length + 1;
  const common = new Uint32Array((before.length + 1) * width);
  const at = (i: number, j: number) => common[i * width + j] ?? 0;
  for (let i = before.length - 1; i >= 0; i--)
    for (let j = after.length - 1; j >= 0; j--)
      common[i * width + j] =
        before[i] === after[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
  const lines: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < before.length && j < after.length) {
    if (before[i] === after[j]) {
      lines.push({ sign: " ", text: before[i++] as string });
      j++;
    } else if (at(i + 1, j) >= at(i, j + 1)) lines.push({ sign: "-", text: before[i++] as string });
    else lines.push({ sign: "+", text: after[j++] as string });
  }
  return [...lines, ...signed("-", before.slice(i)), ...signed("+", after.slice(j))];
}

function signed(sign: DiffLine["sign"], texts: readonly string[]): DiffLine[] {
  return texts.map((text) => ({ sign, text }));
}

/** Leaves out what did not change, except for a few lines around each change. */
export function withContext(lines: readonly DiffLine[], around = 3): (DiffLine | "…")[] {
  const near = lines.map((_, index) =>
    lines.slice(Math.max(0, index - around), index + around + 1).some((line) => line.sign !== " "),
  );
  const shown: (DiffLine | "…")[] = [];
  lines.forEach((line, index) => {
    if (near[index]) shown.push(line);
    else if (near[index - 1] || index === 0) shown.push("…");
  });
  return shown;
}
