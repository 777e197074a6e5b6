import { SegmentedControl, Text } from "@mantine/core";
import type { Scope } from "@reeve/model";
import type { KindRef } from "@reeve/sdk";
import { useQuery } from "../../address.ts";
import { client } from "../../client.ts";
import { useUsedAt } from "../../live/use-usage.ts";
import { useLoaded } from "../../use-loaded.ts";
import { EmptyState } from "../empty-state.tsx";
import { FaultView } from "../fault-view.tsx";
import { Section } from "../section.tsx";
import { UsagePanels } from "./usage-panels.tsx";

interface Props {
  readonly kind: KindRef;
  readonly scope: Scope;
  readonly name: string;
}

const ranges = { "1h": "1 hour", "24h": "24 hours", "30d": "30 days" } as const;
/** A sample comes every 15 s; what is drawn by the hour is not read as often. */
const againMs = { "1h": 15_000, "24h": 60_000, "30d": 600_000 } as const;
type Range = keyof typeof ranges;

/** What a host, or each container of a service, used over time. How far back is in the address. */
export function UsageCharts(props: Props) {
  const [query, patch] = useQuery();
  const range: Range = query.range !== undefined && query.range in ranges ? (query.range as Range) : "1h";
  const { kind, scope, name } = props;
  const heard = useUsedAt(kind, scope, name);
  const turn = heard.value === undefined ? 0 : Math.floor(Date.parse(heard.value) / againMs[range]);
  return (
    <Section
      title="Usage"
      lead="Sampled every 15 seconds; kept for 24 hours, and for 30 days as means of five minutes."
      actions={
        <SegmentedControl
          size="xs"
          aria-label="How far back"
          value={range}
          onChange={(chosen) => patch({ range: chosen === "1h" ? undefined : chosen })}
          data={Object.entries(ranges).map(([one, label]) => ({ value: one, label }))}
        />
      }
    >
      {heard.state !== "loading" && (
        <Charts {...props} range={range} turn={turn} isHeard={heard.value !== undefined} />
      )}
    </Section>
  );
}

interface ChartsProps extends Props {
  readonly range: Range;
  readonly turn: number;
  readonly isHeard: boolean;
}

/** Read again when the stream has told of newer samples: nothing asks by the clock. */
function Charts({ kind, scope, name, range, turn, isHeard }: ChartsProps) {
  const { value, fault } = useLoaded(`${kind.plural} ${scope} ${name} ${range} ${turn}`, (signal) =>
    client.usage.over(kind, scope, name, { range }, signal),
  );
  if (fault !== undefined && value === undefined) return <FaultView fault={fault} />;
  if (value?.items.length !== 0)
    return (
      <>
        <UsagePanels usage={value} />
        {!isHeard && (
          <Text size="sm" c="dimmed">
            Nothing has been heard for a minute: the charts end there, and go on by themselves.
          </Text>
        )}
      </>
    );
  return (
    <EmptyState title="Nothing was heard in this time">
      The agent of a host tells what the host and the containers of services use, from the moment it is
      connected. It appears here by itself, and in <code>reeve top</code>.
    </EmptyState>
  );
}
