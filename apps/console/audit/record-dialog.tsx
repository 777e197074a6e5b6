import { Stack } from "@mantine/core";
import { CodeView, Dialog, Facts, PageLink, paths, StateBadge } from "@reeve/kit";
import type { AuditRecord } from "@reeve/sdk";

interface Props {
  readonly record: AuditRecord;
  readonly onClose: () => void;
}

/** Everything that one record holds. */
export function RecordDialog({ record, onClose }: Props) {
  const { at, subject, via, address, requestId, operation, outcome, kind, scope, name, uid, reason, detail } =
    record;
  return (
    <Dialog title={`Record ${record.revision}`} size="lg" onClose={onClose}>
      <Stack>
        <Facts
          of={{
            When: at,
            Who: subject,
            By: via,
            From: address,
            Did: `${operation} ${kind} ${name}`,
            In: scope || "the installation",
            Outcome: <StateBadge state={outcome} />,
            Why: reason,
            Resource: uid,
            Request: requestId,
            Chain: record.organization || "the installation",
            Recording: typeof detail.recording === "string" && (
              <PageLink to={paths.recording(detail.recording)}>what its terminal has shown</PageLink>
            ),
          }}
        />
        {Object.keys(detail).length > 0 && (
          <CodeView label="Detail" text={JSON.stringify(detail, null, 2)} maxHeight="24rem" />
        )}
      </Stack>
    </Dialog>
  );
}
