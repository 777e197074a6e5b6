/** Waits for a ring or for a time; a ring that came before the wait counts. */
export interface Bell {
  ring(): void;
  wait(ms: number): Promise<void>;
}

export function openBell(): Bell {
  let rung = false;
  let answer = () => {};
  return {
    ring() {
      rung = true;
      answer();
    },
    async wait(ms) {
      if (!rung) {
        const { promise, resolve } = Promise.withResolvers<void>();
        const timer = setTimeout(resolve, ms);
        answer = resolve;
        await promise;
        clearTimeout(timer);
      }
      rung = false;
    },
  };
}
