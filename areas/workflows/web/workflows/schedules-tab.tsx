import { Button, Code, Group, Paper, Stack, Text, Title } from "@mantine/core";
import { Age, EmptyState, PageLink, paths, ReasonedButton, StateBadge, useQuery } from "@reeve/kit";
import type { ListedSchedule } from "@reeve/sdk";
import { IconHistory } from "@tabler/icons-react";
import type { Schedule } from "../../kinds/index.ts";
import { BackfillDialog } from "../schedules/backfill-dialog.tsx";
import { NextTicks } from "../schedules/next-ticks.tsx";
import { useSchedules } from "../schedules/use-schedules.ts";
import { useWhyNotBegin } from "./trigger-button.tsx";
import type { TabProps } from "./workflow-tabs.tsx";

const few = 5;
const many = 25;

/** When it runs by itself: each schedule with its next ticks and what became of its last one. */
export function SchedulesTab({ workflow }: TabProps) {
  const { metadata, spec } = workflow;
  const { value = [] } = useSchedules(metadata.scope, metadata.revision);
  const [query, patch] = useQuery();
  const own = value.filter((one) => one.scope === metadata.scope && one.workflow === metadata.name);
  const schedules = spec.schedules ?? [];
  if (schedules.length === 0)
    return (
      <EmptyState title="No schedules">
        A schedule begins runs by the clock. Add one to the workflow's <Code>schedules</Code>, such as{" "}
        <Code>{'- { name: nightly, cron: "30 2 * * *", timezone: Europe/Berlin }'}</Code>
      </EmptyState>
    );
  const isLong = query.ticks === "many";
  return (
    <Stack>
      {schedules.map((schedule) => (
        <OneSchedule
          key={schedule.name}
          schedule={schedule}
          listed={own.find(({ name }) => name === schedule.name)}
          workflow={workflow}
          ticks={isLong ? many : few}
        />
      ))}
      <Button variant="subtle" w="fit-content" onClick={() => patch({ ticks: isLong ? undefined : "many" })}>
        {isLong ? `Show ${few} ticks` : `Show ${many} ticks`}
      </Button>
    </Stack>
  );
}

interface OneProps extends Pick<TabProps, "workflow"> {
  readonly schedule: Schedule;
  readonly listed: ListedSchedule | undefined;
  readonly ticks: number;
}

function OneSchedule({ schedule, listed, workflow, ticks }: OneProps) {
  const [query, patch] = useQuery();
  const why = useWhyNotBegin(workflow, "backfill");
  const isPaused = schedule.paused === true || workflow.metadata.paused === true;
  return (
    <Paper withBorder p="md">
      <Group justify="space-between" align="flex-start" mb="xs">
        <div>
          <Group gap="xs">
            <Title order={2} className="mono">
              {schedule.name}
            </Title>
            {isPaused && <StateBadge state="paused" />}
          </Group>
          <Text size="sm">
            <Code>{schedule.cron}</Code> by the clock of {schedule.timezone}; {caughtUp(schedule)}
          </Text>
        </div>
        <ReasonedButton
          label="Backfill"
          icon={<IconHistory size={14} />}
          why={why}
          onClick={() => patch({ backfill: schedule.name })}
        />
      </Group>
      <Group align="flex-start" gap="xl">
        <div>
          <Text size="xs" c="dimmed">
            {isPaused ? "Would fire next" : "Fires next"}
          </Text>
          <NextTicks schedule={schedule} count={ticks} />
        </div>
        <div>
          <Text size="xs" c="dimmed">
            Fired last
          </Text>
          <Text size="sm" component="div">
            <LastTick listed={listed} />
          </Text>
        </div>
      </Group>
      {listed?.trouble && (
        <Text size="sm" c="red" mt="xs" role="alert">
          The last tick could not be fired: {listed.trouble}
        </Text>
      )}
      {query.backfill === schedule.name && why === undefined && (
        <BackfillDialog
          workflow={workflow}
          schedule={schedule}
          onClose={() => patch({ backfill: undefined })}
        />
      )}
    </Paper>
  );
}

function LastTick({ listed }: { readonly listed: ListedSchedule | undefined }) {
  if (!listed?.lastAt) return "not yet";
  return (
    <>
      <Age at={listed.lastAt} />{" "}
      {listed.lastRun && (
        <PageLink to={paths.run(listed.lastRun)} className="mono">
          {listed.lastRun.slice(-8)}
        </PageLink>
      )}
    </>
  );
}

const catchUpWords = {
  none: "what is missed while no server is up is left out",
  latest: "of what is missed while no server is up, the latest is caught up",
  all: "what is missed while no server is up is caught up",
};

function caughtUp({ catchUp }: Schedule): string {
  return catchUpWords[catchUp];
}
