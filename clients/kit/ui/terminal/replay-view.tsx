import { Group, Slider, Stack, Text, useComputedColorScheme } from "@mantine/core";
import { type Cast, castSize, castTimes } from "@reeve/model";
import { IconPlayerPause, IconPlayerPlay } from "@tabler/icons-react";
import { useEffect, useMemo, useRef, useState } from "react";
import { ReasonedButton } from "../action-button.tsx";
import { LogFrame } from "../log/log-text.tsx";
import { openScreen, type Screen } from "./screen.ts";
import classes from "./terminal.module.css";

export interface ReplayViewProps {
  readonly label: string;
  readonly cast: Cast;
}

const stepMs = 50;

/** What a terminal has shown, as it came; long pauses are short. */
export function ReplayView({ label, cast }: ReplayViewProps) {
  const times = useMemo(() => castTimes(cast.events), [cast]);
  const total = times.at(-1) ?? 0;
  const [now, setNow] = useState(0);
  const [playing, setPlaying] = useState(true);
  const box = useShown(label, cast, times, now);
  // biome-ignore lint/correctness/useExhaustiveDependencies: it goes on from where it was when it began
  useEffect(() => {
    if (!playing) return;
    const begunMs = performance.now() - now * 1000;
    const ticking = setInterval(() => {
      const next = Math.min(total, (performance.now() - begunMs) / 1000);
      setNow(next);
      if (next >= total) setPlaying(false);
    }, stepMs);
    return () => clearInterval(ticking);
  }, [playing, total]);
  const again = !playing && now >= total;
  return (
    <Stack gap="sm">
      <LogFrame>
        <section className={classes.replay} aria-label={label}>
          <div ref={box} />
        </section>
      </LogFrame>
      <Group gap="md" wrap="nowrap">
        <ReasonedButton
          label={playing ? "Pause" : again ? "Play again" : "Play"}
          icon={playing ? <IconPlayerPause size={14} /> : <IconPlayerPlay size={14} />}
          onClick={() => {
            if (again) setNow(0);
            setPlaying(!playing);
          }}
        />
        <Slider
          flex={1}
          thumbLabel="Where it is played"
          min={0}
          max={Math.max(total, 0.1)}
          step={0.1}
          value={now}
          label={(at) => clockOf(at)}
          onChange={(at) => {
            setPlaying(false);
            setNow(at);
          }}
        />
        <Text size="xs" c="dimmed" className="mono">
          {clockOf(now)} / {clockOf(total)}
        </Text>
      </Group>
    </Stack>
  );
}

/** Shows what came until a moment; what came before another one is shown anew. */
function useShown(label: string, { head, events }: Cast, times: readonly number[], now: number) {
  const box = useRef<HTMLDivElement>(null);
  const screen = useRef<Screen>(undefined);
  const next = useRef(0);
  const scheme = useComputedColorScheme("light");
  useEffect(() => {
    const opened = openScreen(box.current as HTMLElement, { label });
    opened.resize({ rows: head.height, columns: head.width });
    screen.current = opened;
    next.current = 0;
    return opened.close;
  }, [label, head]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the colours change with the scheme
  useEffect(() => screen.current?.paint(), [scheme]);
  useEffect(() => {
    const shown = screen.current;
    if (shown === undefined) return;
    if ((times[next.current - 1] ?? 0) > now) {
      shown.clear();
      shown.resize({ rows: head.height, columns: head.width });
      next.current = 0;
    }
    for (; next.current < events.length && (times[next.current] ?? 0) <= now; next.current++) {
      const [, what, data] = events[next.current] as Cast["events"][number];
      if (what === "r") shown.resize(castSize(data));
      else void shown.write(data);
    }
  }, [now, events, times, head]);
  return box;
}

function clockOf(seconds: number): string {
  const whole = Math.floor(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}
