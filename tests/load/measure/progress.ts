/** Progress goes to stderr, so that stdout holds the result alone. */
export function say(line: string): void {
  process.stderr.write(`${(performance.now() / 1000).toFixed(1).padStart(6)} s  ${line}\n`);
}
