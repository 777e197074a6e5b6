import { Anchor, Group, Stack, Text, Title } from "@mantine/core";
import { Age, PageLink, paths, RunStateBadge, Took } from "@reeve/kit";
import type { Run, Step } from "@reeve/model";
import { shortId } from "./run-words.ts";
import classes from "./runs.module.css";
import { StepActions } from "./step-actions.tsx";
import { StepAttempts } from "./step-attempts.tsx";
import { StepItems } from "./step-items.tsx";
import { Value } from "./value.tsx";

interface Props {
  readonly run: Run;
  readonly step: Step;
  readonly steps: readonly Step[];
  readonly onSelect: (seq: number | undefined) => void;
}

/** The step that was chosen. */
export function StepPanel({ run, step, steps, onSelect }: Props) {
  const needs = steps.filter(({ seq }) => step.needs.includes(seq));
  return (
    <section className={classes.panel} aria-label={`Step ${step.name}`}>
      <Stack gap="sm">
        <Group justify="space-between" align="flex-start">
          <Group gap="sm">
            <Title order={2} ff="monospace">
              {step.name}
            </Title>
            <RunStateBadge state={step.state} />
          </Group>
          <StepActions run={run} step={step} />
        </Group>
        {step.why && <Text size="sm">{step.why}</Text>}
        <dl className={classes.facts}>
          {step.parent !== undefined && (
            <Fact name="Item of">
              <Anchor component="button" type="button" size="sm" onClick={() => onSelect(step.parent)}>
                {steps.find(({ seq }) => seq === step.parent)?.name ?? "a fan-out"}
              </Anchor>
            </Fact>
          )}
          {step.executor && <Fact name="Executor">{step.executor}</Fact>}
          {step.host && (
            <Fact name="Host">
              <span className={classes.mono}>{step.host}</span>
            </Fact>
          )}
          {step.startedAt && (
            <Fact name="Started">
              <Age at={step.startedAt} />, {step.endedAt === undefined ? "for " : "took "}
              <Took from={step.startedAt} to={step.endedAt} />
            </Fact>
          )}
          {step.nextAt && (
            <Fact name="Goes on">
              <Age at={step.nextAt} />
            </Fact>
          )}
          {step.exitCode !== undefined && <Fact name="Exit code">{step.exitCode}</Fact>}
          {needs.length > 0 && needs.length <= 12 && (
            <Fact name="Needs">
              <Group gap="xs">
                {needs.map(({ seq, name }) => (
                  <Anchor key={seq} component="button" type="button" size="sm" onClick={() => onSelect(seq)}>
                    {name}
                  </Anchor>
                ))}
              </Group>
            </Fact>
          )}
          {step.child && (
            <Fact name="Its run">
              <Anchor component={PageLink} to={paths.run(step.child)} className={classes.mono}>
                {shortId(step.child)}
              </Anchor>
            </Fact>
          )}
          {step.item !== undefined && (
            <Fact name="Item">
              <Value value={step.item} label="Item" />
            </Fact>
          )}
          {step.outputs && (
            <Fact name="Outputs">
              <Value value={step.outputs} label={`Outputs of ${step.name}`} />
            </Fact>
          )}
        </dl>
        {step.items && <StepItems run={run} step={step} steps={steps} onSelect={onSelect} />}
        {step.epoch > 1 && <StepAttempts run={run} step={step} />}
      </Stack>
    </section>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: React.ReactNode }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  );
}
