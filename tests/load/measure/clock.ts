/** Milliseconds of the machine's monotonic clock: the same in every process, so that one can time what another sent. */
export function clock(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
