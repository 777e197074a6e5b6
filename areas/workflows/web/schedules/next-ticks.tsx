import { List, Text } from "@mantine/core";
import { Age, useNow } from "@reeve/kit";
import { useMemo } from "react";
import { nextTicks, type Schedule } from "../../kinds/index.ts";
import { tickText } from "./ticks.ts";

interface Props {
  readonly schedule: Schedule;
  readonly count: number;
}

const minute = 60_000;

/** The next moments at which a schedule fires. */
export function NextTicks({ schedule, count }: Props) {
  // Looked up once a minute: a tick that has just come is passed by then.
  const now = Math.floor(useNow() / minute) * minute;
  const ticks = useMemo(() => nextTicks(schedule, new Date(now), count), [schedule, count, now]);
  if (ticks.length === 0)
    return (
      <Text size="sm" c="dimmed">
        It does not fire any more.
      </Text>
    );
  return (
    <List size="sm" listStyleType="none" aria-label={`Next ticks of ${schedule.name}`}>
      {ticks.map((tick) => (
        <List.Item key={tick.getTime()}>
          {tickText(tick, schedule.timezone)}{" "}
          <Text span size="xs" c="dimmed">
            <Age at={tick.toISOString()} />
          </Text>
        </List.Item>
      ))}
    </List>
  );
}
