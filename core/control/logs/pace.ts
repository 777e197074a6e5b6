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
  /** As slow as it may be, for now; without another word it comes back by itself. */
  slow(): void;
}

/** So far ahead of its pace an agent may be: what comes in a burst is not slowed down. */
const burstMs = 250;
/** Output must arrive, however much else there is to do. */
const leastShare = 1 / 8;
const regainedPerSecond = 1 / 20;

export function openPace(bytesPerSecond: number): Pace {
  const agents = new Map<string, { freeAt: number; streams: number }>();
  let slowed = { share: 1, at: 0 };
  const share = () =>
    Math.min(1, slowed.share + ((performance.now() - slowed.at) / 1000) * regainedPerSecond);
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
          const ms = (bytes / (bytesPerSecond * share())) * 1000;
          state.freeAt = Math.max(state.freeAt, performance.now()) + ms;
        },
        end() {
          if (--state.streams === 0) agents.delete(agent);
        },
      };
    },
    slow() {
      slowed = { share: leastShare, at: performance.now() };
    },
  };
}
