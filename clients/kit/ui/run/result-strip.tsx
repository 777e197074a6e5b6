import { hasEnded, type RunResult, type RunState } from "@reeve/model";
import { PageLink } from "../../link.tsx";
import { paths } from "../../paths.ts";
import { ageText } from "../age.tsx";
import { tookText } from "../took.ts";
import { stateLooks } from "./look.ts";
import tones from "./state.module.css";
import classes from "./strip.module.css";

interface Props {
  /** Oldest first. */
  readonly results: readonly RunResult[];
  /** How many there could be: the newest always stands in the same place. */
  readonly most: number;
}

const least = 0.25;

/** How the last runs went: a bar for each, as high as it took long. Each leads to its run. */
export function ResultStrip({ results, most }: Props) {
  const longest = Math.max(...results.map(tookMs), 1);
  return (
    <span className={classes.strip}>
      <span className={classes.words}>{inWords(results)}</span>
      {Array.from({ length: most - results.length }, (_, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: places without a run are all the same
        <span key={at} className={classes.none} />
      ))}
      {results.map((result) => (
        <PageLink
          key={result.id}
          to={paths.run(result.id)}
          // The words above say it; who comes by keyboard has one stop a row, not twenty.
          tabIndex={-1}
          aria-hidden
          className={`${tones.tone} ${classes.bar}`}
          data-tone={stateLooks[result.state].tone}
          data-state={result.state}
          title={titleOf(result)}
        >
          <span style={{ height: `${100 * Math.max(least, tookMs(result) / longest)}%` }} />
        </PageLink>
      ))}
    </span>
  );
}

function tookMs({ startedAt, endedAt }: RunResult): number {
  if (startedAt === undefined) return 0;
  return (endedAt === undefined ? Date.now() : Date.parse(endedAt)) - Date.parse(startedAt);
}

function titleOf(result: RunResult): string {
  const took = result.startedAt === undefined ? "" : `, ${tookText(tookMs(result))}`;
  const begun = ageText(Date.parse(result.createdAt), Date.now());
  const why = hasEnded(result.state) && result.why ? `: ${result.why}` : "";
  return `${result.state}${took}, begun ${begun}${why}`;
}

/** `last 20 runs: 18 succeeded, 2 failed`. */
function inWords(results: readonly RunResult[]): string {
  if (results.length === 0) return "no runs yet";
  const counts = Map.groupBy(results, ({ state }): RunState => state);
  const parts = [...counts].map(([state, some]) => `${some.length} ${state}`);
  return `last ${results.length} runs: ${parts.join(", ")}`;
}
