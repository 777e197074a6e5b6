/** Values from one hand to another, one at a time: whoever pushes waits until the value was taken, so nothing piles up. */
export interface Pipe<T> extends AsyncIterable<T> {
  /** Resolves when there is room for more, or when nobody takes any more. */
  push(value: T): Promise<void>;
  /** Nothing more comes; what waits is still taken. */
  end(): void;
  /** Nobody takes any more. */
  stop(): void;
}

export function openPipe<T>(): Pipe<T> {
  const waiting: { value: T; taken: () => void }[] = [];
  let ended = false;
  let ring = () => {};

  function end(): void {
    ended = true;
    ring();
  }

  function stop(): void {
    end();
    for (const { taken } of waiting.splice(0)) taken();
  }

  async function* values(): AsyncGenerator<T, void> {
    try {
      for (;;) {
        for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
          next.taken();
          yield next.value;
        }
        if (ended) return;
        await new Promise<void>((resolve) => {
          ring = resolve;
        });
      }
    } finally {
      stop();
    }
  }

  return {
    push(value) {
      if (ended) return Promise.resolve();
      const taken = new Promise<void>((resolve) => waiting.push({ value, taken: resolve }));
      ring();
      return taken;
    },
    end,
    stop,
    [Symbol.asyncIterator]: values,
  };
}
