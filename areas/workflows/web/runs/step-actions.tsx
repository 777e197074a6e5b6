import { Group, Textarea } from "@mantine/core";
import { ActionButton, client, Offered } from "@reeve/kit";
import { type Run, type Step, stepCan } from "@reeve/model";
import { IconCheck, IconPlayerSkipForward, IconRepeat, IconX } from "@tabler/icons-react";
import { useState } from "react";
import { useWhyNot } from "./run-rights.ts";

interface Props {
  readonly run: Run;
  readonly step: Step;
}

/** What can be done with a step: approve what asks for it, decide what was lost, skip what has not begun. */
export function StepActions({ run, step }: Props) {
  return (
    <Group gap="xs">
      <StepDecision run={run} step={step} />
      <Offered value={step.name}>
        <Skip run={run} step={step} />
      </Offered>
    </Group>
  );
}

/** What a step waits for a person to say. */
export function StepDecision({ run, step }: Props) {
  return (
    <Offered value={step.name}>
      {step.reason === "lost" ? (
        <Decide run={run} step={step} />
      ) : (
        step.does === "approve" && <Approve run={run} step={step} />
      )}
    </Offered>
  );
}

function Approve({ run: { id, scope }, step }: Props) {
  const [note, setNote] = useState("");
  const whyNot = useWhyNot("approve", scope, stepCan("approve", step));
  const asked = (title: string) => ({
    title,
    text: (
      <Textarea
        label="Note (optional)"
        description="Everybody who sees the run can read it."
        value={note}
        onChange={(event) => setNote(event.currentTarget.value)}
        maxLength={1000}
        rows={3}
      />
    ),
  });
  return (
    <>
      <ActionButton
        label="Approve"
        icon={<IconCheck size={14} />}
        variant="filled"
        why={whyNot}
        confirm={asked(`Approve ${step.name}?`)}
        run={(options) => client.runs.approve(id, step.seq, note, options)}
        done={`${step.name} is approved`}
      />
      <ActionButton
        label="Reject"
        icon={<IconX size={14} />}
        why={whyNot}
        confirm={{ ...asked(`Reject ${step.name}?`), danger: true }}
        run={(options) => client.runs.reject(id, step.seq, note, options)}
        done={`${step.name} is rejected`}
      />
    </>
  );
}

function Skip({ run: { id, scope }, step }: Props) {
  const whyNot = useWhyNot("skip", scope, stepCan("skip", step));
  return (
    <>
      <ActionButton
        label="Skip"
        icon={<IconPlayerSkipForward size={14} />}
        why={whyNot}
        confirm={{ title: `Skip ${step.name}?`, text: "Steps that need its success are skipped too." }}
        run={(options) => client.runs.skip(id, step.seq, undefined, options)}
        done={`${step.name} is skipped`}
      />
      <ActionButton
        label="Skip as succeeded"
        why={whyNot}
        confirm={{
          title: `Skip ${step.name} as succeeded?`,
          text: "Steps after it go on as if it had succeeded.",
        }}
        run={(options) => client.runs.skip(id, step.seq, "succeeded", options)}
        done={`${step.name} counts as succeeded`}
      />
    </>
  );
}

function Decide({ run: { id, scope }, step }: Props) {
  const whyNot = useWhyNot("decide", scope, stepCan("decide", step));
  const outcomes = [
    { outcome: "succeeded", label: "It happened", icon: <IconCheck size={14} /> },
    { outcome: "failed", label: "It failed", icon: <IconX size={14} /> },
    { outcome: "again", label: "Do it again", icon: <IconRepeat size={14} /> },
  ] as const;
  return (
    <Group gap="xs">
      {outcomes.map(({ outcome, label, icon }) => (
        <ActionButton
          key={outcome}
          label={label}
          icon={icon}
          why={whyNot}
          run={(options) => client.runs.decide(id, step.seq, outcome, options)}
          done={`${step.name} is decided`}
        />
      ))}
    </Group>
  );
}
