import type { CpuShares } from "../measure/cpu.ts";
import { startGenerator } from "../measure/generator.ts";
import { say } from "../measure/progress.ts";
import type { Quantiles } from "../measure/quantiles.ts";
import { ms, whole } from "../measure/table.ts";
import type { ReadKind } from "./reads.ts";
import type { Stage } from "./stages.ts";

export interface ReadFigures extends Quantiles {
  /** It was cut off: the figures are of what was asked until then. */
  readonly overloaded: boolean;
  readonly cpu: CpuShares;
}

const perSecond = 300;
const kinds: readonly ReadKind[] = ["get", "projectPage", "teamPage"];

export async function measureReads(stage: Stage): Promise<Record<ReadKind, ReadFigures>> {
  const { premises, port, token, size, quick } = stage;
  const generator = await startGenerator(premises, "reads", { port, token, size });
  const measured: Partial<Record<ReadKind, ReadFigures>> = {};
  for (const kind of kinds) {
    const cpu = stage.countCpu([generator]);
    const figures = await generator.window({ kind, perSecond, seconds: quick ? 5 : 15 });
    measured[kind] = { ...figures, cpu: cpu() };
    say(
      `${whole(size)} resources: ${kind} p50 ${ms(figures.p50)}, p99 ${ms(figures.p99)}${figures.overloaded ? ", OVERLOADED" : ""}`,
    );
  }
  await generator.end();
  return measured as Record<ReadKind, ReadFigures>;
}
