import type { MessageInitShape } from "@bufbuild/protobuf";
import { sampleMs } from "@reeve/model/usage";
import type { UsageSchema } from "@reeve/protocol/agent";
import { type KeptReading, openRates, type UsageReading } from "./reading.ts";
import { openWindows, type Sampled } from "./windows.ts";

export interface SamplingOptions {
  /** The host's own. */
  readonly uid: string;
  readonly host: () => UsageReading | undefined;
  /** What of the things that are kept uses something now. */
  readonly kept: () => Promise<readonly KeptReading[]>;
  /** Dropped without a connection: what was not heard is sent again with the next sample. */
  readonly send: (usage: MessageInitShape<typeof UsageSchema>) => void;
  readonly log: (text: string) => void;
}

export interface Sampling {
  heard(fromMs: number, samples: number): void;
  stop(): void;
}

/** Samples what the host and what is kept on it use, every 15 s, at a moment of its own, so that agents do not report all at once. */
export function startSampling({ uid, host, kept, send, log }: SamplingOptions): Sampling {
  const windows = openWindows();
  let rates = new Map<string, ReturnType<typeof openRates>>();
  let troubled = false;

  function sampled(readings: readonly KeptReading[], nowMs: number): Sampled[] {
    const next: typeof rates = new Map();
    const samples = readings.map((reading) => {
      const key = `${reading.uid} ${reading.name}`;
      const rate = rates.get(key) ?? openRates();
      next.set(key, rate);
      return { uid: reading.uid, name: reading.name, sample: rate(reading, nowMs) };
    });
    // What was not read this time is forgotten.
    rates = next;
    return samples;
  }

  function own(): KeptReading[] {
    const reading = host();
    return reading === undefined ? [] : [{ ...reading, uid, name: "" }];
  }

  async function sample(): Promise<void> {
    const readings = await kept().catch((error: Error) => {
      if (!troubled) log(`cannot tell what containers use: ${error.message}`);
      troubled = true;
      return [];
    });
    const nowMs = Date.now();
    windows.add(nowMs, sampled([...own(), ...readings], nowMs));
    for (const window of windows.unheard(nowMs)) send(window);
    const open = windows.open(nowMs);
    if (open !== undefined) send(open);
  }

  // What was used before the agent began is no use of the first 15 s.
  sampled(own(), Date.now());
  let timer: NodeJS.Timeout | undefined;
  const firstly = setTimeout(() => {
    void sample();
    timer = setInterval(() => void sample(), sampleMs);
  }, Math.random() * sampleMs);

  return {
    heard: windows.heard,
    stop() {
      clearTimeout(firstly);
      clearInterval(timer);
    },
  };
}
