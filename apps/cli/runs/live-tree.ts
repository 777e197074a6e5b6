import type { Run, Step, StepState } from "@reeve/model";
import { paintOut } from "../output/paint.ts";
import { printable, truncate } from "../output/width.ts";
import type { LiveArea } from "../terminal.ts";
import type { RunView } from "./follow-run.ts";
import { treeLines } from "./tree.ts";
import { headOf } from "./words.ts";

const drawMs = 100;
const tickMs = 1000;

/** A run's tree on a terminal, drawn anew in its place whenever something changes. */
export function openLiveTree(area: LiveArea): RunView {
  const steps = new Map<number, Step>();
  let run: Run | undefined;
  let note = "";
  let timer: NodeJS.Timeout | undefined;

  function lines(height: number): string[] {
    if (run === undefined) return [note];
    const { width } = area;
    const now = Date.now();
    const tree = treeLines(run, [...steps.values()], { width, height: height - (note === "" ? 1 : 2) }, now);
    return [
      paintOut("bold", truncate(printable(headOf(run, now)), width)),
      ...tree.map(({ state, text }) => painted(state, text)),
      ...(note === "" ? [] : [truncate(note, width)]),
    ];
  }
  function draw(): void {
    timer = undefined;
    area.draw(lines(area.height));
  }
  function soon(): void {
    timer ??= setTimeout(draw, drawMs);
  }
  const ticking = setInterval(soon, tickMs);
  return {
    run(next) {
      run = next;
      note = "";
      soon();
    },
    step(step) {
      steps.set(step.seq, step);
      soon();
    },
    synced: soon,
    lost(words) {
      note = words;
      soon();
    },
    end() {
      clearInterval(ticking);
      clearTimeout(timer);
      draw();
      area.done();
    },
  };
}

const styles: Partial<Record<StepState, "green" | "red" | "cyan" | "yellow" | "dim">> = {
  succeeded: "green",
  failed: "red",
  running: "cyan",
  waiting: "yellow",
  cancelled: "yellow",
  skipped: "dim",
  blocked: "dim",
};

/** The mark is painted, not the words. */
export function painted(state: StepState, text: string): string {
  const style = styles[state];
  if (style === undefined) return text;
  const at = text.search(/\S/);
  return `${text.slice(0, at)}${paintOut(style, text.slice(at, at + 1))}${text.slice(at + 1)}`;
}
