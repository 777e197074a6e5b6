import { Button, type ButtonProps, Tooltip } from "@mantine/core";
import type { Mutation } from "@reeve/sdk";
import { type ReactNode, useState } from "react";
import { useAction } from "../live/use-action.ts";
import { ConfirmDialog } from "./confirm-dialog.tsx";
import { sentence } from "./fault-view.tsx";

interface Props<T> extends Pick<ButtonProps, "variant" | "color" | "size"> {
  readonly label: string;
  readonly icon?: ReactNode;
  /** Why it cannot be done now: of the kind's `can` rule, or of `useCan`. The button is disabled and says so. */
  readonly why?: string | undefined;
  /** Asks once more first. */
  readonly confirm?: {
    readonly title: string;
    readonly text?: ReactNode;
    readonly danger?: boolean;
    readonly typed?: string;
  };
  readonly run: (options: Required<Pick<Mutation, "idempotencyKey">>) => Promise<T>;
  readonly done?: string | ((result: T) => string);
  readonly onDone?: (result: T) => void;
}

/** A button that changes something: never hidden, disabled with its reason, carried out once for each click. */
export function ActionButton<T>({ label, icon, why, confirm, run, done, onDone, ...look }: Props<T>) {
  const action = useAction();
  const [asking, setAsking] = useState(false);
  const act = async () => {
    const worked = await action.run(run, { ...(done && { done }), ...(onDone && { onDone }) });
    if (worked) setAsking(false);
  };
  return (
    <>
      <ReasonedButton
        {...look}
        label={label}
        icon={icon}
        why={why}
        busy={action.busy && !asking}
        onClick={() => (confirm === undefined ? void act() : setAsking(true))}
      />
      {confirm !== undefined && (
        <ConfirmDialog
          opened={asking}
          onClose={() => setAsking(false)}
          title={confirm.title}
          action={label}
          danger={confirm.danger ?? false}
          {...(confirm.typed !== undefined && { typed: confirm.typed })}
          busy={action.busy}
          onConfirm={() => void act()}
        >
          {confirm.text}
        </ConfirmDialog>
      )}
    </>
  );
}

interface ReasonedProps extends Pick<ButtonProps, "variant" | "color" | "size"> {
  readonly label: string;
  readonly icon?: ReactNode;
  readonly why?: string | undefined;
  readonly busy?: boolean;
  readonly onClick: () => void;
}

/** A button that says why it is disabled. It keeps the focus, so that keyboards and screen readers find the reason, too. */
export function ReasonedButton({
  label,
  icon,
  why,
  busy = false,
  onClick,
  variant = "default",
  ...look
}: ReasonedProps) {
  const button = (
    <Button
      {...look}
      variant={variant}
      leftSection={icon}
      loading={busy}
      data-disabled={why !== undefined || undefined}
      aria-disabled={why !== undefined || undefined}
      onClick={(event) => (why === undefined ? onClick() : event.preventDefault())}
    >
      {label}
    </Button>
  );
  if (why === undefined) return button;
  return (
    <Tooltip label={sentence(why)} events={{ hover: true, focus: true, touch: true }}>
      {button}
    </Tooltip>
  );
}
