/** No more often: one hint is as good as many, and who misses it looks soon. */
const restMs = 50;

/** Gathers runs with new output: the first is told at once, what comes meanwhile together. */
export function openHints(tell: (runs: readonly string[]) => void): (runs: ReadonlySet<string>) => void {
  const waiting = new Set<string>();
  let resting = false;

  function send(): void {
    resting = waiting.size > 0;
    if (!resting) return;
    tell([...waiting]);
    waiting.clear();
    setTimeout(send, restMs).unref();
  }

  return (runs) => {
    for (const run of runs) waiting.add(run);
    if (!resting) send();
  };
}
