import { Stack, Table, Text } from "@mantine/core";
import { client, ReasonedButton, Section, useCan, useLoaded } from "@reeve/kit";
import type { Scope } from "@reeve/model";
import { IconTransferIn } from "@tabler/icons-react";
import { useState } from "react";
import type { FoundProject } from "../../kinds/index.ts";
import { AdoptDialog } from "./adopt-dialog.tsx";

interface Props {
  readonly scope: Scope;
  readonly host: string;
}

/** Compose projects that run on a host and are no service's. Asked of its agent when the page is opened. */
export function FoundProjects({ scope, host }: Props) {
  const [asked, setAsked] = useState(0);
  const [chosen, setChosen] = useState<string>();
  const { allowed, reason } = useCan({ verb: "update", kind: "Host", scope, name: host });
  const { value } = useLoaded(`${scope}/${host} ${asked}`, (signal) =>
    client.hostEngine.projects(scope, host, signal),
  );
  // A host without an engine, or one that does not answer, has nothing to adopt; the tab Storage says why.
  if (value === undefined || value.length === 0) return null;
  return (
    <Section
      title="Found here, not Reeve's"
      lead="Compose projects that run on this host and that no service keeps. Reeve leaves them alone until one is adopted."
    >
      <Table.ScrollContainer minWidth={320}>
        <Table aria-label="Found Compose projects">
          <Table.Tbody>
            {value.map((one) => (
              <Row
                key={one.project}
                found={one}
                why={allowed === false ? reason : undefined}
                adopt={() => setChosen(one.project)}
              />
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      {chosen !== undefined && (
        <AdoptDialog
          scope={scope}
          host={host}
          project={chosen}
          onClose={() => {
            setChosen(undefined);
            setAsked(asked + 1);
          }}
        />
      )}
    </Section>
  );
}

function Row({
  found: { project, folder, containers },
  why,
  adopt,
}: {
  readonly found: FoundProject;
  readonly why: string | undefined;
  readonly adopt: () => void;
}) {
  const running = containers.filter(({ state }) => state === "running").length;
  return (
    <Table.Tr>
      <Table.Td>
        <Stack gap={0}>
          <span className="mono">{project}</span>
          <Text size="xs" c="dimmed" className="mono">
            {folder}
          </Text>
        </Stack>
      </Table.Td>
      <Table.Td visibleFrom="xs">
        {running} of {containers.length} running
      </Table.Td>
      <Table.Td ta="right">
        <ReasonedButton
          label="Adopt"
          size="xs"
          icon={<IconTransferIn size={14} />}
          why={why}
          onClick={adopt}
        />
      </Table.Td>
    </Table.Tr>
  );
}
