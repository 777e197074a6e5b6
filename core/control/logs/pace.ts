import { setTimeout as sleep } from "node:timers/promises";

/** How fast output is taken from one agent, over all its streams together: a flood leaves room for everybody else. */
export interface Pace {
  /** For one stream of an agent. */
  begin(agent: string): {
    /** Resolves when more may be taken. */
    room(): Promise<void>;
    took(bytes: number): void;
    end(): void;
  };
}

/** So far ahead of its pace an agent may be: what comes in a burst is not slowed down. */
const burstMs = 250;

export function openPace(bytesPerSecond: number): Pace {
  const agents = new Map<string, { freeAt: number; streams: number }>();
  return {
    begin(agent) {
      const state = agents.get(agent) ?? { freeAt: 0, streams: 0 };
      agents.set(agent, state);
      state.streams++;
      return {
        async room() {
          const ahead = state.freeAt - performance.now();
          if (ahead > burstMs) await sleep(ahead - burstMs);
        },
        took(bytes) {
          state.freeAt = Math.max(state.freeAt, performance.now()) + (bytes / bytesPerSecond) * 1000;
        },
        end() {
          if (--state.streams === 0) agents.delete(agent);
        },
      };
    },
  };
}
