import type { Premises } from "./premises.ts";

/** A benchmark, as `bench.ts` lists and starts it. The minutes are a promise: past them it is ended as a failure. */
export interface Bench {
  readonly summary: string;
  readonly minutes: number;
  readonly quickMinutes: number;
  /** What `--only` may name; none when it measures all or nothing. */
  readonly stages: readonly string[];
  run(premises: Premises, options: BenchOptions): Promise<void>;
}

export interface BenchOptions {
  readonly quick: boolean;
  readonly jsonFile?: string;
  /** Where the server under test writes a CPU profile. */
  readonly profileFolder?: string;
  /** Stages to run; all when empty. */
  readonly only: readonly string[];
  /** Sizes to run; the benchmark's own when empty. */
  readonly sizes: readonly number[];
}
