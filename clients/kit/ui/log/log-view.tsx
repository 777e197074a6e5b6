import { Text } from "@mantine/core";
import { useLocalStorage } from "@mantine/hooks";
import type { LogMatch } from "@reeve/model";
import type { LogPart } from "@reeve/sdk";
import { useCallback, useEffect, useState } from "react";
import { FaultView } from "../fault-view.tsx";
import classes from "./log.module.css";
import { LogFoot } from "./log-foot.tsx";
import { LogRow } from "./log-row.tsx";
import { LogTools } from "./log-tools.tsx";
import type { LogWindow } from "./log-window.ts";
import { lineHeight } from "./scroll.ts";
import { useLog } from "./use-log.ts";
import { useLogScroll } from "./use-log-scroll.ts";
import { useLogSearch } from "./use-log-search.ts";

export interface LogViewProps {
  readonly run: string;
  /** Which step, attempt and stream; all of the run when it is empty. */
  readonly part: LogPart;
  /** When what writes it has ended; while it has not, more may come, and the view begins at the end. */
  readonly endedAt: string | undefined;
  /** The line that the address names, from 1. */
  readonly line?: number | undefined;
  readonly onLine: (line: number | undefined) => void;
  /** What the address says is sought in it. */
  readonly sought?: string | undefined;
  readonly onSought: (text: string | undefined) => void;
  /** Where the whole of it can be kept from. */
  readonly downloads: readonly { readonly label: string; readonly href: string }[];
  /** As CSS says it. */
  readonly height?: string;
}

/** Drawn beyond what is seen, so that a small movement has its lines. */
const spare = 12;

/** The output of a run as it comes: of any length, from any place. */
export function LogView(props: LogViewProps) {
  const { run, part, endedAt, line, onLine, sought, onSought, downloads, height = "60vh" } = props;
  const { log, state } = useLog(run, part, endedAt);
  const live = endedAt === undefined;
  const scroll = useLogScroll(state.count, live && line === undefined);
  const [wrap, setWrap] = useLocalStorage({ key: "reeve-log-wrap", defaultValue: false });
  const [times, setTimes] = useLocalStorage({ key: "reeve-log-times", defaultValue: false });
  const [chosen, setChosen] = useState(line);
  const finding = useLogSearch(run, part, (match) => {
    void log.find(match).then((at) => at !== undefined && choose(at, true));
  });

  const choose = (at: number, isJump = false) => {
    if (isJump) scroll.show(at);
    setChosen(at + 1);
    onLine(at + 1);
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: the line of the address, once
  useEffect(() => {
    if (line !== undefined) scroll.show(line - 1);
  }, []);
  const isCounted = state.phase !== "counting";
  // biome-ignore lint/correctness/useExhaustiveDependencies: what the address seeks, once; a line that it names stays in view
  useEffect(() => {
    if (!isCounted || sought === undefined) return;
    finding.find(sought, line === undefined ? undefined : (found) => matchAt(log, found, line - 1));
  }, [isCounted]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the rows are kept while nothing of them changes
  const onChoose = useCallback((at: number) => choose(at), [onLine]);

  const { first } = scroll;
  const seen = Math.ceil(scroll.viewHeight / lineHeight) + 1;
  const from = Math.max(0, first - (wrap && scroll.atEnd ? seen : 0));
  const to = Math.min(state.count, first + seen + (wrap ? 0 : spare));
  useEffect(() => log.look(from - 3 * spare, to + 3 * spare), [log, from, to]);

  if (state.phase === "fault" && state.fault) return <FaultView fault={state.fault} />;
  // A short log is a small box, and grows.
  const boxHeight = `min(${height}, ${Math.max(4, state.count + 1) * lineHeight}px)`;
  const digits = String(Math.max(100, state.count)).length;
  // A row is drawn again with another line rather than made anew: a long log goes by in full frames.
  const places = 2 * seen + spare;
  const rows = Array.from({ length: Math.max(0, to - from) }, (_, index) => from + index);
  // With wrapping a line can be of any height: the first stands at the top, or at the end the last at the bottom.
  const toBottom = wrap && scroll.atEnd && state.count > 0;
  return (
    <div className={classes.frame} style={{ ["--log-height" as string]: boxHeight }}>
      <LogTools
        {...{ wrap, setWrap, times, setTimes, live, downloads, finding, sought, onSought }}
        following={scroll.following}
        onFollow={scroll.follow}
      />
      <section
        ref={scroll.box}
        className={classes.box}
        data-wrap={wrap || undefined}
        data-phase={state.phase}
        data-count={state.count}
        style={{ ["--number-width" as string]: `calc(${digits}ch + 1.25rem)` }}
        {...scroll.handlers}
        // The keys of scrolling work on it.
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls
        tabIndex={0}
        aria-label="Lines of the log"
      >
        <div style={{ height: scroll.height, minHeight: "100%" }}>
          <div
            className={classes.view}
            style={{
              height: scroll.viewHeight,
              ...(toBottom && { display: "flex", flexDirection: "column", justifyContent: "flex-end" }),
            }}
          >
            <div
              className={classes.rows}
              style={wrap ? undefined : { transform: `translateY(${-scroll.cut}px)` }}
            >
              {rows.map((at) => (
                <LogRow
                  key={at % places}
                  at={at}
                  line={log.line(at)}
                  sought={finding.search.what}
                  chosen={chosen === at + 1}
                  times={times}
                  names={part.seq === undefined}
                  onChoose={onChoose}
                />
              ))}
            </div>
            {state.count === 0 && (
              <Text size="sm" c="dimmed" p="md">
                {emptyText(state.phase, live)}
              </Text>
            )}
          </div>
        </div>
      </section>
      <LogFoot state={state} following={scroll.following} live={live} chosen={chosen} />
    </div>
  );
}

/** The match in this line, or the first one behind it. */
async function matchAt(log: LogWindow, found: readonly LogMatch[], line: number): Promise<number> {
  for (const [index, match] of found.entries()) if (((await log.find(match)) ?? -1) >= line) return index;
  return 0;
}

function emptyText(phase: string, live: boolean): string {
  if (phase === "counting") return "Counting the lines.";
  return live ? "Nothing has been written yet. Lines appear here as they come." : "Nothing was written.";
}
