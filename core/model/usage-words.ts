const units = ["B", "KiB", "MiB", "GiB", "TiB"];

/** `3.1 GiB`; three digits at most, so that columns stay narrow. */
export function showBytes(bytes: number): string {
  const power = bytes < 1000 ? 0 : Math.min(4, Math.floor(Math.log2(bytes / 1000) / 10) + 1);
  const value = bytes / 1024 ** power;
  return `${power === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[power]}`;
}

/** A share of cores, in thousandths of one, as per cent of so many. */
export function showCpu(thousandths: number, cores = 1): string {
  const percent = thousandths / 10 / cores;
  return `${percent >= 10 ? Math.round(percent) : percent.toFixed(1)} %`;
}
