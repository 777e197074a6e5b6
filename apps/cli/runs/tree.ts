import { hasEnded, type Run, type Step, type StepState } from "@reeve/model";
import { printable, truncate } from "../output/width.ts";
import { took } from "./words.ts";

/** One line of a run's tree; `mark` is painted by whoever shows it. */
export interface TreeLine {
  readonly state: StepState;
  readonly text: string;
}

export interface TreeSize {
  readonly width: number;
  /** As many lines as there is room for. */
  readonly height: number;
}

const marks: Record<StepState, string> = {
  blocked: "○",
  due: "○",
  ready: "○",
  offered: "○",
  waiting: "◌",
  running: "●",
  succeeded: "✓",
  failed: "✗",
  cancelled: "⊘",
  skipped: "–",
};

/** Items are worth a line while they run or when they failed; the rest is in their fan-out's counts. */
const itemsShown = 5;

/** The steps of a run as lines of a tree, fewer of them when there is no room: what goes on and what failed comes first. */
export function treeLines(
  run: Run,
  steps: readonly Step[],
  { width, height }: TreeSize,
  now: number,
): TreeLine[] {
  const top = steps.filter((step) => step.parent === undefined).sort((a, b) => a.seq - b.seq);
  const names = Math.min(30, Math.max(8, ...top.map((step) => step.name.length)));
  const line = (step: Step, indent: string): TreeLine => ({
    state: step.state,
    text: truncate(
      printable(
        `${indent}${marks[step.state]} ${step.name.padEnd(names - indent.length)}  ${detailOf(run, step, now)}`,
      ),
      width,
    ),
  });
  const shown = top.map((step) => {
    const items = steps.filter((one) => one.parent === step.seq && isWorthALine(one)).slice(0, itemsShown);
    return { step, lines: [line(step, ""), ...items.map((item) => line(item, "  "))] };
  });
  return fitted(shown, height);
}

function isWorthALine({ state }: Step): boolean {
  return state === "running" || state === "failed" || state === "waiting";
}

/** What has ended well goes first, then what has not begun; how many is said. */
function fitted(shown: readonly { step: Step; lines: TreeLine[] }[], height: number): TreeLine[] {
  const count = (list: typeof shown) => list.reduce((sum, one) => sum + one.lines.length, 0);
  let kept = shown;
  const left: TreeLine[] = [];
  const leave = (words: string, state: StepState, fits: (state: StepState) => boolean) => {
    const over = count(kept) + left.length - height;
    if (over <= 0) return;
    const gone = kept.filter(({ step }) => fits(step.state));
    const few = new Set(gone.slice(0, over + 1));
    if (few.size < 2) return;
    kept = kept.filter((one) => !few.has(one));
    left.push({ state, text: `${marks[state]} ${few.size} ${words}` });
  };
  leave("more that have succeeded", "succeeded", (state) => state === "succeeded");
  leave("more that are left out", "skipped", (state) => state === "skipped");
  leave("more that have not begun", "blocked", (state) => state === "blocked");
  return [...left, ...kept.flatMap(({ lines }) => lines)].slice(0, Math.max(1, height));
}

function detailOf(run: Run, step: Step, now: number): string {
  const { state, why, attempt, host } = step;
  const parts: string[] = [];
  if (step.items !== undefined) parts.push(itemWords(step.items));
  const duration = took(step.startedAt, step.endedAt, now);
  if (duration !== "" && step.items === undefined) parts.push(duration);
  if (attempt > 1) parts.push(`attempt ${attempt}`);
  if (state === "running" && host !== undefined) parts.push(`on ${host}`);
  const said = state === "blocked" && hasEnded(run.state) ? "" : why;
  if (said !== "" && step.items === undefined) parts.push(said);
  return parts.join(", ");
}

/** `37/200, 3 running, 1 failed` */
export function itemWords(items: NonNullable<Step["items"]>): string {
  const sum = (fits: (state: StepState) => boolean) =>
    Object.entries(items).reduce(
      (total, [state, count]) => total + (fits(state as StepState) ? count : 0),
      0,
    );
  const parts = [`${sum(hasEnded)}/${sum(() => true)}`];
  if (items.running) parts.push(`${items.running} running`);
  if (items.failed) parts.push(`${items.failed} failed`);
  return parts.join(", ");
}
