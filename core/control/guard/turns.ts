import { Fault } from "@reeve/model";

/**
 * How many requests of one subject are worked on at once. The rest wait in line, so that one who asks for everything at
 * once leaves connections to the database for the others.
 */
export interface Turns {
  /** Resolves when it is the key's turn, with the way to end it. */
  take(key: string, most: number): Promise<() => void>;
}

interface Line {
  working: number;
  readonly waiting: (() => void)[];
}

const mostWaiting = 2000;

export function openTurns(onRefusal: () => void = () => {}): Turns {
  const lines = new Map<string, Line>();

  return {
    async take(key, most) {
      const line = lines.get(key) ?? { working: 0, waiting: [] };
      lines.set(key, line);
      if (line.waiting.length >= mostWaiting) {
        onRefusal();
        throw new Fault("exhausted", "too many requests of yours are waiting for an answer", {
          next: "send fewer at once",
          retryAfterMs: 1000,
        });
      }
      if (line.working < most) line.working++;
      // Whoever ends hands its turn on, so the number at work stays the same.
      else await new Promise<void>((resolve) => line.waiting.push(resolve));
      return () => {
        const next = line.waiting.shift();
        if (next !== undefined) return next();
        line.working--;
        if (line.working === 0) lines.delete(key);
      };
    },
  };
}
