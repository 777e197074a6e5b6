/** How long something took, as people say it: `0.4s`, `12s`, `3m 20s`, `2h 5m`, `3d 4h`. */
export function tookText(ms: number): string {
  const seconds = Math.max(0, ms) / 1000;
  if (seconds < 10) return `${(Math.floor(seconds * 10) / 10).toFixed(1)}s`;
  const [days, hours, minutes] = [86_400, 3600, 60].map((size) => Math.floor(seconds / size)) as [
    number,
    number,
    number,
  ];
  if (days > 0) return pair(days, "d", hours % 24, "h");
  if (hours > 0) return pair(hours, "h", minutes % 60, "m");
  if (minutes > 0) return pair(minutes, "m", Math.floor(seconds) % 60, "s");
  return `${Math.floor(seconds)}s`;
}

function pair(large: number, largeUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${large}${largeUnit}` : `${large}${largeUnit} ${small}${smallUnit}`;
}
