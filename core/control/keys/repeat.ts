export interface Repeated {
  /** Does it now, unless it is under way. */
  now(): void;
  stop(): Promise<void>;
}

/** Does something every so often, never twice at once. What it throws is told, and it is tried again. */
export function repeat(
  everyMs: number,
  work: () => Promise<void>,
  trouble: (error: unknown) => void,
): Repeated {
  let turn: Promise<void> | undefined;
  const now = () => {
    turn ??= work()
      .catch(trouble)
      .finally(() => {
        turn = undefined;
      });
  };
  const timer = setInterval(now, everyMs).unref();
  return {
    now,
    async stop() {
      clearInterval(timer);
      await turn;
    },
  };
}
