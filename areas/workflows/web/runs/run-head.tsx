import { Anchor, Group, Text } from "@mantine/core";
import { Age, PageHeader, PageLink, paths, RunStateBadge, Took, useKind } from "@reeve/kit";
import { type Run, showScope } from "@reeve/model";
import { RunActions } from "./run-actions.tsx";
import { causeText, shortId } from "./run-words.ts";

/** What it is, how it stands, what began it, and what can be done with it as a whole. */
export function RunHead({ run }: { readonly run: Run }) {
  const { about, scope, parent } = run;
  const kind = useKind(about.kind);
  return (
    <PageHeader
      title={`${about.name} ${shortId(run.id)}`}
      mono
      above={
        <>
          <Anchor component={PageLink} inherit underline="always" to={paths.runs({ scope })}>
            Runs
          </Anchor>{" "}
          in {showScope(scope)} ·{" "}
          {kind === undefined ? (
            about.name
          ) : (
            <Anchor
              component={PageLink}
              inherit
              underline="always"
              to={paths.resource(kind, scope, about.name)}
            >
              {about.name}
            </Anchor>
          )}{" "}
          generation {about.generation}
          {parent && (
            <>
              {" · "}
              <Anchor
                component={PageLink}
                inherit
                underline="always"
                to={paths.run(parent.run, { step: parent.seq })}
              >
                begun by a step of {shortId(parent.run)}
              </Anchor>
            </>
          )}
        </>
      }
      beside={
        <Group gap={6}>
          <RunStateBadge state={run.state} />
          {run.paused && <RunStateBadge state="waiting" word="paused" />}
          {run.cancelling && <RunStateBadge state="waiting" word="cancelling" />}
        </Group>
      }
      lead={
        <>
          {run.why && <Text size="sm">{run.why}</Text>}
          Begun <Age at={run.createdAt} /> {causeText(run)}
          {run.startedAt && (
            <>
              {" · "}
              {run.endedAt === undefined ? "running for " : "took "}
              <Took from={run.startedAt} to={run.endedAt} />
            </>
          )}
        </>
      }
      actions={<RunActions run={run} />}
    />
  );
}
