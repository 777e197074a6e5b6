import { Button, Group, Stack } from "@mantine/core";
import { PageHeader, useQuery } from "@reeve/kit";
import { IconDownload } from "@tabler/icons-react";
import { useState } from "react";
import { AuditFilters } from "./audit-filters.tsx";
import { AuditRecords } from "./audit-records.tsx";
import { auditQueryOf, exportPath } from "./query.ts";
import { Verification } from "./verification.tsx";

/** Who did what, live; what it is worth as a proof; and a way to take it out. */
export default function AuditPage() {
  const [words, setWords] = useQuery();
  const [openedAt] = useState(() => Date.now());
  const query = auditQueryOf(words, openedAt);
  return (
    <>
      <PageHeader
        title="Audit"
        lead="Every change, every refusal, every sign-in: who, from where, what and why. Records are chained and signed, so that what is changed or taken away behind Reeve's back is found."
        actions={
          <Group gap="xs">
            <Button
              component="a"
              href={exportPath(query, "jsonl")}
              download="audit.jsonl"
              variant="default"
              leftSection={<IconDownload size={14} />}
            >
              Export
            </Button>
            <Button component="a" href={exportPath(query, "cef")} download="audit.cef" variant="default">
              As CEF
            </Button>
          </Group>
        }
      />
      <Stack>
        <Verification organization={(words.scope ?? "").split("/")[0] || undefined} />
        <AuditFilters words={words} onChange={setWords} />
        <AuditRecords query={query} open={words.record} onOpen={(record) => setWords({ record })} />
      </Stack>
    </>
  );
}
