import { Group } from "@mantine/core";
import type { Resource } from "@reeve/model";
import type { ActionInfo, KindInfo } from "@reeve/sdk";
import { useState } from "react";
import { ReasonedButton } from "../ui/action-button.tsx";
import { sentence } from "../ui/fault-view.tsx";
import { ActDialog } from "./act-dialog.tsx";
import { useWhyNot } from "./use-why-not.ts";

interface Props {
  readonly kind: KindInfo;
  readonly resource: Resource;
  /** Actions that the page offers in a way of its own. */
  readonly except?: readonly string[];
}

/** The verbs of a kind beyond making, changing and deleting, each with its form. */
export function KindActions({ kind, resource, except = [] }: Props) {
  const actions = Object.entries(kind.actions).filter(([name]) => !except.includes(name));
  if (actions.length === 0) return null;
  return (
    <Group gap="xs">
      {actions.map(([name, action]) => (
        <OneAction key={name} kind={kind} resource={resource} name={name} action={action} />
      ))}
    </Group>
  );
}

interface OneProps extends Props {
  readonly name: string;
  readonly action: ActionInfo;
}

function OneAction({ kind, resource, name, action }: OneProps) {
  const [open, setOpen] = useState(false);
  const why = useWhyNot(name, resource);
  return (
    <>
      <ReasonedButton label={actionLabel(name)} why={why} onClick={() => setOpen(true)} />
      {open && (
        <ActDialog
          kind={kind}
          resource={resource}
          name={name}
          action={action}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  );
}

/** `set-password` → `Set password`. */
export function actionLabel(name: string): string {
  return sentence(name.replaceAll("-", " "));
}
