/** Work on many things, on each of them one after the other. */
export interface Turns {
  /** What a step asks for: as soon as nobody else is at it. */
  take<T>(key: string, work: () => Promise<T>): Promise<T>;
  /** A look, soon: however often it is asked for before it begins, it happens once. */
  ask(key: string): void;
  /** No look begins any more; resolves when nothing is under way. */
  end(): Promise<void>;
}

/** Looks of all things together are `mostAtOnce`, as many become due in the same moment; steps do not wait for them. */
export function openTurns(mostAtOnce: number, look: (key: string) => Promise<void>): Turns {
  const last = new Map<string, Promise<unknown>>();
  const asked = new Set<string>();
  let looking = 0;
  let ended = false;

  function take<T>(key: string, work: () => Promise<T>): Promise<T> {
    const turn = (last.get(key) ?? Promise.resolve()).then(work);
    const settled = turn.then(
      () => {},
      () => {},
    );
    last.set(key, settled);
    void settled.then(() => {
      if (last.get(key) === settled) last.delete(key);
      next();
    });
    return turn;
  }

  function next(): void {
    for (const key of asked) {
      if (looking >= mostAtOnce) return;
      if (last.has(key)) continue;
      asked.delete(key);
      looking++;
      void take(key, () => look(key).finally(() => looking--));
    }
  }

  return {
    take,
    ask(key) {
      if (ended) return;
      asked.add(key);
      next();
    },
    async end() {
      ended = true;
      asked.clear();
      await Promise.all(last.values());
    },
  };
}
