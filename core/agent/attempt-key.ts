/** One attempt of one step of a run: what every message about it carries. */
export interface AttemptKey {
  readonly run: string;
  readonly seq: number;
  readonly epoch: number;
}

/** As a key of a map and a name of a folder. */
export function keyText({ run, seq, epoch }: AttemptKey): string {
  return `${run}.${seq}.${epoch}`;
}

/** Undefined when it is no key. */
export function readKeyText(text: string): AttemptKey | undefined {
  const [, run, seq, epoch] = /^([\w-]+)\.(\d+)\.(\d+)$/.exec(text) ?? [];
  return run === undefined ? undefined : { run, seq: Number(seq), epoch: Number(epoch) };
}
