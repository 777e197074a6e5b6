import { List, Stack, Text } from "@mantine/core";
import type { Look, Resource } from "@reeve/model";
import type { Hold, KindInfo, Why } from "@reeve/sdk";
import { client } from "../client.ts";
import { Age } from "../ui/age.tsx";
import { FaultView, sentence } from "../ui/fault-view.tsx";
import { StateBadge } from "../ui/state-badge.tsx";
import { type Loaded, useLoaded } from "../use-loaded.ts";

/** Why the resource is as it is; looked up again whenever it changes. */
export function useWhy(kind: KindInfo, resource: Resource): Loaded<Why> {
  const { scope, name, revision } = resource.metadata;
  return useLoaded(String(revision), (signal) => client.kind(kind).why(scope, name, { signal }));
}

/** What Reeve made of it at its last look, when it looks again, and what keeps it when it is being deleted. */
export function WhyView({ why: { value, fault } }: { readonly why: Loaded<Why> }) {
  if (fault !== undefined) return <FaultView fault={fault} />;
  if (value === undefined) return null;
  const { look, holds } = value;
  return (
    <Stack gap={6}>
      {look === null ? (
        <Text size="sm" c="dimmed">
          Nothing keeps this true: it is recorded as it was written.
        </Text>
      ) : (
        <LastLook look={look} />
      )}
      {holds.length > 0 && (
        <List size="sm">
          {holds.map((hold) => (
            <List.Item key={hold.finalizer ?? hold.kind}>{holdText(hold)}</List.Item>
          ))}
        </List>
      )}
    </Stack>
  );
}

function LastLook({ look: { outcome, why, lookedAt, nextAt, failures, replica } }: { readonly look: Look }) {
  return (
    <>
      <Text size="sm" component="div">
        <StateBadge state={outcome} /> {sentence(why)}
      </Text>
      <Text size="xs" c="dimmed">
        {lookedAt && (
          <>
            Looked <Age at={lookedAt} />
            {replica ? ` by ${replica}` : ""}
            {". "}
          </>
        )}
        {nextAt && (
          <>
            Looks again <Age at={nextAt} />
            {". "}
          </>
        )}
        {failures > 1 && `Failed ${failures} times in a row.`}
      </Text>
    </>
  );
}

function holdText({ finalizer, kind, count, why }: Hold): string {
  const what = finalizer ?? `${count ?? ""} ${kind ?? ""}`.trim();
  return why ? `${what}: ${why}` : what;
}
