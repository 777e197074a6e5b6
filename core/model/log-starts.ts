const newline = 10;

/**
 * Where lines begin in the next bytes of a log, and whether its last line is still open then. A line stands where it begins, so
 * that it keeps its number however late, and after whatever else, the rest of it comes.
 */
export function lineStarts(bytes: Uint8Array, inLine: boolean): { starts: number[]; open: boolean } {
  const starts: number[] = [];
  let at = inLine ? bytes.indexOf(newline) + 1 : 0;
  if (inLine && at === 0) return { starts, open: true };
  while (at < bytes.length) {
    starts.push(at);
    const end = bytes.indexOf(newline, at);
    if (end < 0) return { starts, open: true };
    at = end + 1;
  }
  return { starts, open: false };
}
