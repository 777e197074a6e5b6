/**
 * The durable run engine. Promises: state is exactly once; effects are at least once, or at most once where the step says
 * so; never silently neither. It knows no area: what is particular comes by hooks.
 */
export { openRuns, type RunsOptions } from "./engine.ts";
export * from "./runs.ts";
