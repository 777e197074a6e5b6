import type { CpuShares } from "../measure/cpu.ts";
import { type Spread, spread } from "../measure/quantiles.ts";
import { ms, type Row, whole } from "../measure/table.ts";
import type { AppliesFigures } from "./measure-applies.ts";
import type { WatchFigures } from "./measure-watches.ts";
import type { Figures } from "./stages.ts";

/** The wishes of the product, and whether the first size meets them; the others show how the cost grows. */
export function apiRows(measured: readonly Figures[]): Row[] {
  const row = (name: string, text: (figures: Figures) => string | undefined): Row => ({
    name,
    measured: measured.map(text),
  });
  const wish = (
    name: string,
    bar: { readonly text: string; readonly met: (value: number) => boolean },
    value: (figures: Figures) => number | undefined,
    text: (value: number) => string,
  ): Row => {
    const values = measured.map(value);
    const first = values[0];
    return {
      name,
      measured: values.map((one) => (one === undefined ? undefined : text(one))),
      wanted: bar.text,
      verdict: first === undefined ? undefined : bar.met(first) ? "met" : "MISSED",
    };
  };
  const below = (limit: number, unit: string) => ({
    text: `< ${limit} ${unit}`,
    met: (value: number) => value < limit,
  });
  const atLeast = (limit: number) => ({
    text: `>= ${limit.toFixed(2)}`,
    met: (value: number) => value >= limit,
  });
  const title = (name: string): Row => ({ name, measured: measured.map(() => "") });
  const watchRows = (name: string, of: (figures: Figures) => WatchFigures | undefined): Row[] => [
    title(name),
    row("  p50 from sending the apply", (one) => kept(of(one)?.fromSentMs.p50, of(one))),
    wish("  p99", below(250, "ms"), (one) => of(one)?.fromSentMs.p99, ms),
    row("  max", (one) => shown(of(one)?.fromSentMs.max, ms)),
    row("  p99 from the apply's answer", (one) => shown(of(one)?.fromAnsweredMs.p99, ms)),
    wish(
      "  events missing or out of order",
      { text: "0", met: (value) => value === 0 },
      (one) => lost(of(one)),
      whole,
    ),
    row("  cores: server db load others stolen", (one) => cores(of(one)?.cpu)),
  ];

  return [
    title("Bulk load (POST /api/v1/apply)"),
    row("  resources a second", (one) => whole(one.load.perSecond)),
    title("Apply (PUT), 16 connections"),
    row("  applies a second", (one) => shown(one.applies?.appliesPerSecond.median, whole)),
    row("    lowest to highest window", (one) => range(one.applies?.appliesPerSecond, whole)),
    row("  raw commits a second", (one) => shown(one.applies?.rawPerSecond.median, whole)),
    row("    lowest to highest window", (one) => range(one.applies?.rawPerSecond, whole)),
    wish("  ratio", atLeast(0.2), (one) => one.applies?.ratio.median, ratio),
    row("    lowest to highest window", (one) => range(one.applies?.ratio, ratio)),
    row("  latency p50 / p99", (one) => twoOf(one.applies?.windows.at(-1)?.applies.latencyMs)),
    row("  cores: server db load others stolen", (one) => cores(one.applies?.windows.at(-1)?.applies.cpu)),
    row("  CPU of one: server / postgres", (one) => perApply(one.applies)),
    row("  cores of raw commits, same order", (one) => cores(one.applies?.windows.at(-1)?.raw.cpu)),
    title("Apply (PUT) with the audit sealed, or not"),
    row("  applies a second, sealed", (one) => shown(one.sealing?.perSecond.sealed.median, whole)),
    row("  applies a second, not sealed", (one) => shown(one.sealing?.perSecond.unsealed.median, whole)),
    wish("  ratio", atLeast(0.9), (one) => one.sealing?.ratio.median, ratio),
    row("    lowest to highest pair", (one) => range(one.sealing?.ratio, ratio)),
    row(
      "  CPU of one: sealed / not",
      ({ sealing }) =>
        sealing &&
        `${[sealing.cpuMs.sealed, sealing.cpuMs.unsealed].map(({ median }) => median.toFixed(2)).join("/")} ms`,
    ),
    wish("  ratio by CPU", atLeast(0.9), (one) => one.sealing?.cpuRatio.median, ratio),
    row("    lowest to highest pair", (one) => range(one.sealing?.cpuRatio, ratio)),
    title("GET by name, 300 a second"),
    row("  p50", (one) => kept(one.reads?.get.p50, one.reads?.get)),
    wish("  p99", below(10, "ms"), (one) => one.reads?.get.p99, ms),
    row("  cores: server db load others stolen", (one) => cores(one.reads?.get.cpu)),
    title("100 of a project by label, 300 a second"),
    row("  p50", (one) => kept(one.reads?.projectPage.p50, one.reads?.projectPage)),
    wish("  p99", below(25, "ms"), (one) => one.reads?.projectPage.p99, ms),
    row("  cores: server db load others stolen", (one) => cores(one.reads?.projectPage.cpu)),
    title("100 of all projects by label, 300/s"),
    row("  p50", (one) => kept(one.reads?.teamPage.p50, one.reads?.teamPage)),
    wish("  p99", below(25, "ms"), (one) => one.reads?.teamPage.p99, ms),
    row("  cores: server db load others stolen", (one) => cores(one.reads?.teamPage.cpu)),
    ...watchRows("1,000 watchers on 50 lists, 100 chg/s", (one) => one.watches?.spread),
    ...watchRows("1,000 watchers on 1 list, 100 chg/s", (one) => one.watches?.oneList),
    title("Memory of the server process"),
    wish("  after a fresh start", below(150, "MB"), (one) => one.memory.fresh.residentMb, mb),
    row("  after the bulk load", (one) => mb(one.memory.loaded.residentMb)),
    wish("  idle after everything", below(150, "MB"), (one) => one.memory.idle?.residentMb, mb),
    row("  at most", (one) => shown(one.memory.idle?.mostMb, mb)),
  ];
}

function lost(figures: WatchFigures | undefined): number | undefined {
  return figures && figures.missing + figures.outOfOrder + figures.ended;
}

function shown(value: number | undefined, text: (value: number) => string): string | undefined {
  return value === undefined ? undefined : text(value);
}

/** A figure of an open loop, with whether it was cut off. */
function kept(
  value: number | undefined,
  of: { readonly overloaded: boolean } | undefined,
): string | undefined {
  return shown(value, (known) => `${ms(known)}${of?.overloaded ? " OVERLOADED" : ""}`);
}

function range(values: Spread | undefined, text: (value: number) => string): string | undefined {
  return values && `${text(values.low)}-${text(values.high)}`;
}

function twoOf(values: { p50: number; p99: number } | undefined): string | undefined {
  return values && `${values.p50.toFixed(1)}/${values.p99.toFixed(1)} ms`;
}

/** What one apply costs, whatever else the machine was doing. */
function perApply(applies: AppliesFigures | undefined): string | undefined {
  const costs = ["server", "postgres"].map(
    (name) =>
      spread(
        (applies?.windows ?? []).map(({ applies: one }) => ((one.cpu[name] ?? 0) / one.perSecond) * 1000),
      ).median,
  );
  return applies && `${costs.map((cost) => cost.toFixed(2)).join("/")} ms`;
}

/** Tenths of a core are as much as the kernel's ticks can tell of a short window. */
function cores(cpu: CpuShares | undefined): string | undefined {
  return (
    cpu &&
    ["server", "postgres", "generators", "others", "stolen"]
      .map((name) => (cpu[name] ?? 0).toFixed(1).replace(/^0/, ""))
      .join(" ")
  );
}

const ratio = (value: number) => value.toFixed(2);
const mb = (value: number) => `${Math.round(value)} MB`;
