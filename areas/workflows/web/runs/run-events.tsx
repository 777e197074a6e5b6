import { Table, Text } from "@mantine/core";
import { Age, asFault, client, FaultView } from "@reeve/kit";
import type { Run, RunEvent, Step } from "@reeve/model";
import type { CallFault } from "@reeve/sdk";
import { IconAlertTriangle } from "@tabler/icons-react";
import { useEffect, useState } from "react";

const mostKept = 2000;

/** What happened beyond the states: who approved, what was retried, which agent was lost. */
export function RunEvents({ run, steps }: { readonly run: Run; readonly steps: readonly Step[] }) {
  const { events, fault } = useRunEvents(run, steps);
  if (fault) return <FaultView fault={fault} />;
  if (events?.length === 0)
    return (
      <Text size="sm" c="dimmed">
        Nothing has happened beyond what the steps tell.
      </Text>
    );
  const names = new Map(steps.map(({ seq, name }) => [seq, name]));
  return (
    <Table.ScrollContainer minWidth={320} type="native">
      <Table aria-label="Events">
        <Table.Tbody>
          {events?.map(({ at, seq, tone, reason, message, by }) => (
            <Table.Tr key={`${at} ${seq} ${reason} ${message}`}>
              <Table.Td w={110}>
                <Age at={at} />
              </Table.Td>
              <Table.Td>
                {tone === "warning" && <IconAlertTriangle size={14} aria-label="warning" />} {reason}
              </Table.Td>
              <Table.Td ff="monospace">{seq === undefined ? "" : (names.get(seq) ?? seq)}</Table.Td>
              <Table.Td>{message}</Table.Td>
              <Table.Td visibleFrom="sm">{by}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

/** Read again when the run or a step has changed, which is when something happens. */
function useRunEvents(run: Run, steps: readonly Step[]) {
  const [shown, setShown] = useState<{ events?: readonly RunEvent[]; fault?: CallFault }>({});
  useEffect(() => {
    let over = false;
    void steps;
    void (async () => {
      const events: RunEvent[] = [];
      for await (const event of client.runs.events(run.id)) if (events.push(event) >= mostKept) break;
      return { events: events.reverse() };
    })()
      .catch((error: unknown) => ({ fault: asFault(error) }))
      .then((next) => !over && setShown(next));
    return () => {
      over = true;
    };
  }, [run, steps]);
  return shown;
}
