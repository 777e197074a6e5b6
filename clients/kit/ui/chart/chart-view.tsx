import "uplot/dist/uPlot.min.css";
import { Text, useComputedColorScheme } from "@mantine/core";
import { useElementSize } from "@mantine/hooks";
import { useEffect, useRef } from "react";
import UPlot from "uplot";
import classes from "./chart.module.css";

export interface Series {
  readonly label: string;
  /** Null where nothing is known. */
  readonly values: readonly (number | null)[];
  /** A colour for each ground. */
  readonly color: { readonly light: string; readonly dark: string };
}

export interface ChartViewProps {
  /** What it shows, for who cannot see it. */
  readonly label: string;
  /** Milliseconds. */
  readonly times: readonly number[];
  readonly series: readonly Series[];
  readonly height?: number;
  readonly shows?: (value: number) => string;
  /** What is said when there is nothing to draw. */
  readonly empty: string;
}

/** Values over time. The values at the pointer stand below it; without one, the latest. */
export function ChartView({ label, times, series, height = 160, shows = String, empty }: ChartViewProps) {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<UPlot>(undefined);
  const { ref: sized, width } = useElementSize();
  const scheme = useComputedColorScheme("light");
  const nothing = !series.some(({ values }) => values.some((value) => value !== null));
  const look = series.map(({ label: name, color }) => `${name} ${color[scheme]}`).join();
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is made anew when it looks different, not with new data
  useEffect(() => {
    if (place.current === null || width === 0 || nothing) return;
    const made = new UPlot(
      optionsOf({ series, height, width, shows, scheme }),
      dataOf(times, series),
      place.current,
    );
    plot.current = made;
    return () => made.destroy();
  }, [width, height, scheme, look, nothing]);
  useEffect(() => {
    plot.current?.setData(dataOf(times, series));
  }, [times, series]);
  return (
    <figure className={classes.figure} aria-label={label} data-empty={nothing || undefined}>
      <div ref={sized} />
      {nothing ? (
        <Text size="sm" c="dimmed" className={classes.empty} style={{ height }}>
          {empty}
        </Text>
      ) : (
        <div ref={place} />
      )}
    </figure>
  );
}

function dataOf(times: readonly number[], series: readonly Series[]): UPlot.AlignedData {
  return [times.map((at) => at / 1000), ...series.map(({ values }) => [...values])] as UPlot.AlignedData;
}

type Drawn = Required<Pick<ChartViewProps, "series" | "height" | "shows">> & {
  readonly width: number;
  readonly scheme: "light" | "dark";
};

function optionsOf({ series, height, width, shows, scheme }: Drawn): UPlot.Options {
  const words = scheme === "light" ? "#5f6872" : "#959da6";
  const lines = scheme === "light" ? "#e5e8eb" : "#2a3037";
  const axis = {
    stroke: words,
    grid: { stroke: lines, width: 1 },
    ticks: { show: false },
    font: "11px system-ui",
  } satisfies UPlot.Axis;
  return {
    width,
    height,
    cursor: { drag: { x: false, y: false }, points: { size: 6 } },
    scales: { y: { range: (_, least, most) => [Math.min(0, least), most <= 0 ? 1 : most * 1.1] } },
    axes: [axis, { ...axis, size: roomFor, values: (_, ticks) => onceEach(ticks.map(shows)) }],
    series: [
      { value: (_, at) => (at === null ? "now" : new Date(at * 1000).toLocaleString()) },
      ...series.map(({ label, color }) => ({
        label,
        stroke: color[scheme],
        fill: `${color[scheme]}1f`,
        width: 1.5,
        points: { show: false },
        value: (plot: UPlot, value: number | null, at: number, index: number | null) => {
          const shown = index === null ? latestOf(plot.data[at]) : value;
          return shown === null ? "-" : shows(shown);
        },
      })),
    ],
  };
}

/** Small numbers can be the same word, which would stand twice on the axis. */
function onceEach(words: readonly string[]): string[] {
  return words.map((word, at) => (word === words[at - 1] ? "" : word));
}

/** As wide as the longest word beside it. */
function roomFor(_: UPlot, words: readonly string[] | null): number {
  return Math.max(44, ...(words ?? []).map((word) => 14 + 6 * word.length));
}

function latestOf(values: ArrayLike<number | null | undefined> | undefined): number | null {
  return Array.from(values ?? []).findLast((value) => typeof value === "number") ?? null;
}
