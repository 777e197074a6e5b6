import { Table, Text, UnstyledButton } from "@mantine/core";
import { RunStateBadge, Took } from "@reeve/kit";
import type { Step } from "@reeve/model";
import classes from "./runs.module.css";

interface Props {
  readonly steps: readonly Step[];
  readonly selected: number | undefined;
  readonly onSelect: (seq: number) => void;
}

/** Every step with what it waits for or how it ended. */
export function StepTable({ steps, selected, onSelect }: Props) {
  return (
    <Table.ScrollContainer minWidth={320} type="native" maxHeight={480}>
      <Table aria-label="Steps" highlightOnHover stickyHeader>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Step</Table.Th>
            <Table.Th>State</Table.Th>
            <Table.Th visibleFrom="sm">Attempt</Table.Th>
            <Table.Th visibleFrom="sm">Host</Table.Th>
            <Table.Th>Took</Table.Th>
            <Table.Th visibleFrom="sm">Why</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {ordered(steps).map((step) => (
            <Table.Tr key={step.seq} bg={step.seq === selected ? "var(--reeve-hover)" : undefined}>
              <Table.Td pl={step.parent === undefined ? undefined : "lg"}>
                <UnstyledButton
                  className={classes.mono}
                  aria-pressed={step.seq === selected}
                  onClick={() => onSelect(step.seq)}
                >
                  {step.name}
                </UnstyledButton>
              </Table.Td>
              <Table.Td>
                <RunStateBadge state={step.state} />
              </Table.Td>
              <Table.Td visibleFrom="sm">{step.attempt || ""}</Table.Td>
              <Table.Td visibleFrom="sm" className={classes.mono}>
                {step.host}
              </Table.Td>
              <Table.Td>
                <Took from={step.startedAt} to={step.endedAt} />
              </Table.Td>
              <Table.Td visibleFrom="sm">
                <Text size="sm" c="dimmed">
                  {step.why}
                </Text>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

/** Items of a fan-out stand below it. */
function ordered(steps: readonly Step[]): Step[] {
  const items = Map.groupBy(steps, ({ parent }) => parent);
  const bySeq = (a: Step, b: Step) => a.seq - b.seq;
  return (items.get(undefined) ?? [])
    .sort(bySeq)
    .flatMap((step) => [step, ...(items.get(step.seq) ?? []).sort(bySeq)]);
}
