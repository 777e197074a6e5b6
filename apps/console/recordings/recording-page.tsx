import { Button, Skeleton, Stack } from "@mantine/core";
import {
  Age,
  client,
  Facts,
  FaultView,
  PageHeader,
  PageLink,
  paths,
  ReplayView,
  Section,
  useLoaded,
  usePath,
} from "@reeve/kit";
import { showBytes } from "@reeve/model";
import type { Recording } from "@reeve/sdk";
import { IconDownload } from "@tabler/icons-react";

/** One recording, played. */
export default function RecordingPage() {
  const id = decodeURIComponent(usePath().split("/")[2] ?? "");
  const { value, fault } = useLoaded(id, async () => {
    const recording = await client.recordings.get(id);
    return { recording, cast: await client.recordings.replay(id) };
  });
  if (fault) return <FaultView fault={fault} />;
  if (value === undefined) return <Skeleton height={320} />;
  const { recording, cast } = value;
  return (
    <>
      <PageHeader
        title={`Terminal of ${recording.name}`}
        above={<PageLink to={paths.recordings()}>Recordings</PageLink>}
        actions={
          <Button
            component="a"
            href={`/api/v1/recordings/${encodeURIComponent(id)}/cast`}
            download
            variant="default"
            leftSection={<IconDownload size={14} />}
          >
            Download
          </Button>
        }
      />
      <Stack>
        <ReplayView key={id} label={`Replay of ${recording.name}`} cast={cast} />
        <Section title="About">
          <About recording={recording} />
        </Section>
      </Stack>
    </>
  );
}

function About({ recording }: { readonly recording: Recording }) {
  const { subject, verb, kind, name, scope, host, detail, at, endedAt, sha256, bytes } = recording;
  const { command, container } = detail as { command?: readonly string[]; container?: string };
  return (
    <Facts
      of={{
        Who: subject,
        Did: (
          <PageLink to={paths.audit({ kind, name, operation: verb })}>
            {verb} {kind} {name}
          </PageLink>
        ),
        In: scope || "the installation",
        Host: <span className="mono">{host}</span>,
        Container: container && <span className="mono">{container}</span>,
        Command: command && <span className="mono">{command.join(" ")}</span>,
        Begun: <Age at={at} />,
        Ended: endedAt ? <Age at={endedAt} /> : "it goes on, or its server was lost",
        Size: showBytes(bytes),
        "SHA-256": sha256 && <span className="mono">{sha256}</span>,
      }}
    />
  );
}
