import type { Bench } from "./measure/bench.ts";
import { runStaged } from "./measure/staged.ts";
import { openSite, stages } from "./services/stages.ts";

/** Services on a real Docker engine, against what `docker compose` alone takes on the same engine. */
export const services: Bench = {
  summary: "a deploy against docker compose alone; many services at rest; how soon drift is repaired",
  minutes: 25,
  quickMinutes: 6,
  stages: stages.map(({ name }) => name),
  run: (premises, options) =>
    runStaged(premises, options, { bench: "services", title: "Services benchmark", stages, open: openSite }),
};
