import { ActionIcon, Group, Text } from "@mantine/core";
import { useElementSize } from "@mantine/hooks";
import type { PastAttempt, Step } from "@reeve/model";
import { IconMaximize, IconZoomIn, IconZoomOut } from "@tabler/icons-react";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useMemo, useRef, useState } from "react";
import { useNow } from "../age.tsx";
import { stateLooks } from "../run/look.ts";
import tones from "../run/state.module.css";
import { RunStateIcon } from "../run/state.tsx";
import { tookText } from "../took.ts";
import { type Bar, type TimelineRow, timelineOf } from "./bars.ts";
import { ticksOf } from "./scale.ts";
import classes from "./timeline.module.css";

export interface TimelineViewProps {
  readonly steps: readonly Step[];
  /** Those that were followed by another. */
  readonly attempts: readonly PastAttempt[];
  readonly selected?: number | undefined;
  readonly onSelect: (seq: number) => void;
}

const rowHeight = 26;
const axisHeight = 27;
const mostHeight = 460;
const mostZoom = 256;

/** When each step waited and ran: thin while it waits, full while it runs, one bar for each attempt. */
export function TimelineView({ steps, attempts, selected, onSelect }: TimelineViewProps) {
  const timeline = useMemo(() => timelineOf(steps, attempts), [steps, attempts]);
  const now = useNow();
  const [zoom, setZoom] = useState(1);
  const frame = useRef<HTMLDivElement>(null);
  const { ref: sized, width } = useElementSize();
  const names = width > 0 && width < 560 ? 120 : 200;
  const rows = useVirtualizer({
    count: timeline.rows.length,
    getScrollElement: () => frame.current,
    estimateSize: () => rowHeight,
    overscan: 10,
  });
  if (timeline.rows.every(({ bars }) => bars.length === 0))
    return (
      <Text c="dimmed" size="sm" py="md">
        No step has begun yet.
      </Text>
    );
  const length = Math.max(1, (timeline.to ?? now) - timeline.from);
  // Room for the words after the last bar.
  const span = length * 1.08;
  const laneWidth = Math.max(50, width - names) * zoom;
  const ticks = ticksOf(span, Math.max(2, laneWidth / 110));
  const scale = { from: timeline.from, span, now };
  const zoomTo = (factor: number) => setZoom((old) => Math.min(mostZoom, Math.max(1, old * factor)));
  return (
    <div>
      <Group gap={4} mb={6} justify="flex-end">
        <ZoomButton
          label="Zoom out"
          disabled={zoom === 1}
          act={() => zoomTo(0.5)}
          icon={<IconZoomOut size={14} />}
        />
        <ZoomButton
          label="Zoom in"
          disabled={zoom === mostZoom}
          act={() => zoomTo(2)}
          icon={<IconZoomIn size={14} />}
        />
        <ZoomButton
          label="Show all"
          disabled={zoom === 1}
          act={() => setZoom(1)}
          icon={<IconMaximize size={14} />}
        />
      </Group>
      <div
        ref={frame}
        className={classes.frame}
        style={{
          height: Math.min(mostHeight, axisHeight + timeline.rows.length * rowHeight + 2),
          ["--names" as string]: `${names}px`,
        }}
      >
        <div ref={sized} />
        <div
          className={classes.inner}
          style={{ width: names + laneWidth, height: axisHeight + rows.getTotalSize() }}
        >
          <div className={classes.axis} aria-hidden>
            <div className={classes.corner} />
            <div className={classes.lane}>
              {ticks.map(({ at, label }) => (
                <div key={at} className={classes.tick} style={{ left: `${(at / span) * 100}%` }}>
                  {label}
                </div>
              ))}
            </div>
          </div>
          {rows.getVirtualItems().map(({ index, start }) => {
            const row = timeline.rows[index] as TimelineRow;
            return (
              <div
                key={row.seq}
                className={classes.row}
                style={{ top: axisHeight + start }}
                data-selected={row.seq === selected || undefined}
              >
                <button
                  type="button"
                  className={classes.name}
                  data-item={row.isItem || undefined}
                  onClick={() => onSelect(row.seq)}
                  aria-label={spoken(row, now)}
                  title={row.name}
                >
                  <RunStateIcon state={row.state} size={13} />
                  <span>{row.name}</span>
                </button>
                <Lane bars={row.bars} {...scale} />
              </div>
            );
          })}
        </div>
      </div>
    </div>
  );
}

interface Scale {
  readonly from: number;
  readonly span: number;
  readonly now: number;
}

function Lane({ bars, from, span, now }: Scale & { readonly bars: readonly Bar[] }) {
  const percent = (at: number) => `${((at - from) / span) * 100}%`;
  const last = bars.findLast(({ what }) => what === "attempt");
  return (
    <div className={classes.lane}>
      {bars.map((bar) => (
        <div
          key={`${bar.what} ${bar.from}`}
          className={`${tones.tone} ${classes.bar}`}
          data-what={bar.what}
          data-tone={stateLooks[bar.state].tone}
          data-growing={bar.to === undefined || undefined}
          style={{ left: percent(bar.from), width: `${(((bar.to ?? now) - bar.from) / span) * 100}%` }}
          title={barText(bar, now)}
        />
      ))}
      {last && (
        <div className={classes.took} style={{ left: percent(last.to ?? now) }}>
          {tookText(Math.max(0, (last.to ?? now) - last.from))}
        </div>
      )}
    </div>
  );
}

function barText(bar: Bar, now: number): string {
  const took = tookText(Math.max(0, (bar.to ?? now) - bar.from));
  const why = bar.why === "" ? "" : `: ${bar.why}`;
  return bar.what === "waiting"
    ? `waited ${took}${why}`
    : `attempt ${bar.attempt} ${bar.state}, ${took}${why}`;
}

function spoken({ name, state, bars }: TimelineRow, now: number): string {
  return [`${name}: ${state}`, ...bars.map((bar) => barText(bar, now))].join("; ");
}

function ZoomButton(props: {
  readonly label: string;
  readonly disabled: boolean;
  readonly act: () => void;
  readonly icon: React.ReactNode;
}) {
  const { label, disabled, act, icon } = props;
  return (
    <ActionIcon
      variant="default"
      size="sm"
      aria-label={label}
      title={label}
      disabled={disabled}
      onClick={act}
    >
      {icon}
    </ActionIcon>
  );
}
