import { SimpleGrid } from "@mantine/core";
import { showBytes, showCpu, type UsageMeasure } from "@reeve/model";
import type { UsageOverTime } from "@reeve/sdk";
import { useMemo } from "react";
import type { Series } from "../chart/chart-view.tsx";
import { ChartView } from "../heavy-views.ts";
import { Section } from "../section.tsx";

interface Panel {
  readonly title: string;
  readonly lead: string;
  readonly measures: Partial<Record<UsageMeasure, string>>;
  readonly shows: (value: number) => string;
}

const perSecond = (bytes: number) => `${showBytes(bytes)}/s`;
const panels: readonly Panel[] = [
  { title: "CPU", lead: "In per cent of one core.", measures: { cpu: "" }, shows: (value) => showCpu(value) },
  {
    title: "Memory",
    lead: "Without what is only cached.",
    measures: { memory: "" },
    shows: showBytes,
  },
  {
    title: "Disk space",
    lead: "Taken on the disk of the agent's folder.",
    measures: { disk: "" },
    shows: showBytes,
  },
  {
    title: "Disk",
    lead: "Bytes a second.",
    measures: { diskRead: "read", diskWritten: "written" },
    shows: perSecond,
  },
  {
    title: "Network",
    lead: "Bytes a second.",
    measures: { networkIn: "in", networkOut: "out" },
    shows: perSecond,
  },
];

/** A chart for each thing that is used. */
export function UsagePanels({ usage }: { readonly usage: UsageOverTime | undefined }) {
  const times = useMemo(() => timesOf(usage), [usage]);
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }}>
      {panels.map((panel) => (
        <PanelView key={panel.title} panel={panel} times={times} usage={usage} />
      ))}
    </SimpleGrid>
  );
}

interface PanelProps {
  readonly panel: Panel;
  readonly times: readonly number[];
  readonly usage: UsageOverTime | undefined;
}

function PanelView({ panel: { title, lead, measures, shows }, times, usage }: PanelProps) {
  const series = useMemo(() => seriesOf(usage, measures), [usage, measures]);
  // Containers have no disk of their own.
  if (usage !== undefined && series.every(({ values }) => values.every((value) => value === null)))
    return null;
  return (
    <Section title={title} lead={lead}>
      <ChartView
        label={`${title} over time`}
        times={times}
        series={series}
        shows={shows}
        empty="Nothing was heard in this time."
      />
    </Section>
  );
}

function timesOf(usage: UsageOverTime | undefined): readonly number[] {
  if (usage === undefined) return [];
  const count = usage.items[0]?.values.cpu.length ?? 0;
  return Array.from({ length: count }, (_, index) => Date.parse(usage.from) + index * usage.stepMs);
}

/** Told apart on both grounds; more lines than these are drawn with the same colours again. */
const colors = [
  { light: "#1864ab", dark: "#6cb2f2" },
  { light: "#8a5300", dark: "#e8b04a" },
  { light: "#1b6e3c", dark: "#5cc98a" },
  { light: "#862e9c", dark: "#da8ee7" },
  { light: "#b3261e", dark: "#ff8a80" },
  { light: "#0b7285", dark: "#66d9e8" },
] as const;

function seriesOf(usage: UsageOverTime | undefined, measures: Panel["measures"]): readonly Series[] {
  const items = usage?.items ?? [];
  const hosts = new Set(items.map(({ host }) => host)).size;
  const lines = items.flatMap(({ host, name, values }) =>
    Object.entries(measures).map(([measure, word]) => ({
      // A container's name says nothing of its host, and there may be one of the same name on each.
      label: [name && hosts > 1 ? `${name} on ${host}` : name || (word === "" ? "used" : ""), word]
        .filter((part) => part !== "")
        .join(" "),
      values: values[measure as UsageMeasure],
    })),
  );
  return lines.map((line, index) => ({ ...line, color: colors[index % colors.length] ?? colors[0] }));
}
