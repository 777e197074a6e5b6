import { Group, Select, Text, Title } from "@mantine/core";
import { LogView, useCan, useQuery, withQuery } from "@reeve/kit";
import { type LogStreamName, logStreams, type Run, type Step } from "@reeve/model";

interface Props {
  readonly run: Run;
  /** All of the run without one. */
  readonly step: Step | undefined;
}

/** What the run, or the step that was chosen, has written. */
export function RunLog({ run, step }: Props) {
  const [query, setQuery] = useQuery();
  const can = useCan({ verb: "logs", kind: "runs", scope: run.scope });
  const stream = logStreams.find((one): one is LogStreamName => one === query.stream);
  const attempt = step && query.attempt ? Number(query.attempt) : undefined;
  const part = {
    ...(step && { seq: step.seq }),
    ...(attempt !== undefined && { attempt }),
    ...(stream !== undefined && { stream }),
  };
  if (can.allowed === false)
    return (
      <Text size="sm" c="dimmed">
        You cannot read what this run wrote: {can.reason}.
      </Text>
    );
  return (
    <section aria-label="Output">
      <Group justify="space-between" mb={6}>
        <Title order={2}>{step ? `Log of ${step.name}` : "Log of all steps"}</Title>
        <Group gap="xs">
          {step && step.attempt > 1 && (
            <Select
              size="xs"
              w={130}
              aria-label="Attempt"
              value={query.attempt ?? "all"}
              onChange={(next) =>
                setQuery({ attempt: next === "all" ? undefined : (next ?? undefined), line: undefined })
              }
              data={[
                { value: "all", label: "All attempts" },
                ...Array.from({ length: step.attempt }, (_, at) => ({
                  value: String(at + 1),
                  label: `Attempt ${at + 1}`,
                })),
              ]}
              allowDeselect={false}
            />
          )}
          <Select
            size="xs"
            w={150}
            aria-label="Stream"
            value={stream ?? "both"}
            onChange={(next) =>
              setQuery({ stream: next === "both" ? undefined : (next ?? undefined), line: undefined })
            }
            data={[
              { value: "both", label: "stdout and stderr" },
              { value: "stdout", label: "stdout" },
              { value: "stderr", label: "stderr" },
            ]}
            allowDeselect={false}
          />
        </Group>
      </Group>
      <LogView
        key={JSON.stringify(part)}
        run={run.id}
        part={part}
        endedAt={(step ?? run).endedAt}
        line={query.line === undefined ? undefined : Number(query.line)}
        onLine={(line) => setQuery({ line: line === undefined ? undefined : String(line) })}
        sought={query.find}
        onSought={(find) => setQuery({ find })}
        downloads={downloadsOf(run, part)}
      />
    </section>
  );
}

type Part = { readonly seq?: number; readonly attempt?: number; readonly stream?: LogStreamName };

function downloadsOf({ id }: Run, { seq, attempt, stream }: Part) {
  const at = `/api/v1/runs/${encodeURIComponent(id)}`;
  const all = [
    { label: "The whole run, as text", href: `${at}/logs` },
    { label: "Each stream in a file (tar)", href: withQuery(`${at}/logs`, { format: "tar" }) },
  ];
  if (seq === undefined) return all;
  return [
    { label: "What is shown here", href: withQuery(`${at}/steps/${seq}/logs`, { attempt, stream }) },
    ...all,
  ];
}
