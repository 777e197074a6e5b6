import { Anchor, Group, Loader, Stack, Text } from "@mantine/core";
import {
  Age,
  FaultView,
  Later,
  LogView,
  nodesOfSteps,
  PageLink,
  paths,
  RunStateBadge,
  StepGraph,
  Took,
  useCan,
  useQuery,
  useRun,
} from "@reeve/kit";
import type { Run, Step } from "@reeve/model";
import { useMemo } from "react";

/** A run of a service in short, live: what is done on which host, and what that wrote. Its own page has the rest. */
export function DeployView({ id }: { readonly id: string }) {
  const { run, steps, ...live } = useRun(id);
  const [query, patch] = useQuery();
  const nodes = useMemo(() => nodesOfSteps(steps), [steps]);
  if (live.state === "fault" && live.fault) return <FaultView fault={live.fault} />;
  if (run === undefined) return <Loader size="sm" aria-label="Loading the run" />;
  const chosen = steps.find(({ seq }) => String(seq) === query.step);
  return (
    <Stack gap="sm">
      <Head run={run} />
      <StepGraph
        nodes={nodes}
        selected={chosen?.seq}
        onSelect={(seq) =>
          patch({ step: seq === undefined ? undefined : String(seq), line: undefined, find: undefined })
        }
      />
      {chosen?.why && <Text size="sm">{chosen.why}</Text>}
      <Later>
        <Output run={run} step={chosen} />
      </Later>
    </Stack>
  );
}

function Head({ run }: { readonly run: Run }) {
  return (
    <Group gap="sm">
      <RunStateBadge state={run.state} />
      <Text size="sm">
        Generation {run.about.generation}, begun <Age at={run.createdAt} />
        {run.startedAt && (
          <>
            , {run.endedAt === undefined ? "for " : "took "}
            <Took from={run.startedAt} to={run.endedAt} />
          </>
        )}
      </Text>
      <Anchor component={PageLink} to={paths.run(run.id)} size="sm">
        All of this run
      </Anchor>
      {run.why && (
        <Text size="sm" w="100%">
          {run.why}
        </Text>
      )}
    </Group>
  );
}

function Output({ run, step }: { readonly run: Run; readonly step: Step | undefined }) {
  const [query, patch] = useQuery();
  const can = useCan({ verb: "logs", kind: "runs", scope: run.scope });
  if (can.allowed === false)
    return (
      <Text size="sm" c="dimmed">
        You cannot read what this run wrote: {can.reason}.
      </Text>
    );
  return (
    <LogView
      key={step?.seq ?? "all"}
      run={run.id}
      part={step === undefined ? {} : { seq: step.seq }}
      endedAt={(step ?? run).endedAt}
      line={query.line === undefined ? undefined : Number(query.line)}
      onLine={(line) => patch({ line: line === undefined ? undefined : String(line) })}
      sought={query.find}
      onSought={(find) => patch({ find })}
      downloads={[
        { label: "The whole run, as text", href: `/api/v1/runs/${encodeURIComponent(run.id)}/logs` },
      ]}
      height="16rem"
    />
  );
}
