import { Anchor, Table, Title } from "@mantine/core";
import { RunStateBadge, Took, useQuery } from "@reeve/kit";
import type { Run, Step } from "@reeve/model";
import { useMemo } from "react";
import { useAttempts } from "./use-attempts.ts";

/** How the attempts before the last one went, each with its log. */
export function StepAttempts({ run, step }: { readonly run: Run; readonly step: Step }) {
  const [, setQuery] = useQuery();
  const only = useMemo(() => [step], [step]);
  const attempts = useAttempts(run, only).filter(({ seq }) => seq === step.seq);
  if (attempts.length === 0) return null;
  return (
    <div>
      <Title order={3} mb={4}>
        Earlier attempts
      </Title>
      <Table.ScrollContainer minWidth={320} type="native">
        <Table aria-label={`Earlier attempts of ${step.name}`}>
          <Table.Tbody>
            {attempts.toReversed().map(({ attempt, state, why, host, startedAt, endedAt }) => (
              <Table.Tr key={`${attempt} ${endedAt}`}>
                <Table.Td w={40}>{attempt}</Table.Td>
                <Table.Td>
                  <RunStateBadge state={state} />
                </Table.Td>
                <Table.Td>
                  <Took from={startedAt} to={endedAt} />
                </Table.Td>
                <Table.Td visibleFrom="sm" ff="monospace">
                  {host}
                </Table.Td>
                <Table.Td>{why}</Table.Td>
                <Table.Td>
                  <Anchor
                    component="button"
                    type="button"
                    size="sm"
                    onClick={() => setQuery({ attempt: String(attempt), line: undefined })}
                  >
                    Log
                  </Anchor>
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </div>
  );
}
