import type { Figure, Outcome } from "../runs/figures.ts";
import { say } from "./progress.ts";

export interface MeasuredStage<Site> {
  /** For `--only`. */
  readonly name: string;
  readonly title: string;
  readonly measure: (site: Site) => Promise<Figure[]>;
}

/** By the names of stages. */
export type Column = Record<string, Outcome>;

/** One that fails is told by its name; the others go on. */
export async function measureEach<Site>(site: Site, wanted: readonly MeasuredStage<Site>[]): Promise<Column> {
  const column: Column = {};
  for (const { name, measure } of wanted) {
    say(`stage ${name}`);
    column[name] = await measure(site).then(
      (figures) => ({ figures }),
      (error: unknown) => {
        const [problem = ""] = (error instanceof Error ? error.message : String(error)).split("\n");
        say(`stage ${name} could not be measured: ${error instanceof Error ? error.stack : problem}`);
        return { problem };
      },
    );
  }
  return column;
}
