import { Button, type ButtonProps, Tooltip } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { type Change, useAction } from "../live/use-action.ts";
import { useOffer } from "../offers.ts";
import { sentence } from "./fault-view.tsx";
import { useFocusKept } from "./focus.ts";
import { FormDialog } from "./form-dialog.tsx";

interface Look extends Pick<ButtonProps, "variant" | "color" | "size"> {
  readonly label: string;
  readonly icon?: ReactNode;
  /** Where there is little room: the label is told by the tooltip. */
  readonly iconOnly?: boolean;
}

interface Props<T> extends Look, Change<T> {
  /** Why it cannot be done now: of the kind's `can` rule, or of `useCan`. The button is disabled and says so. */
  readonly why?: string | undefined;
  /** Asks once more first. */
  readonly confirm?: {
    readonly title: string;
    readonly text?: ReactNode;
    readonly danger?: boolean;
  };
}

/** A button that changes something: never hidden, disabled with its reason, carried out once for each click. */
export function ActionButton<T>({ label, icon, why, confirm, run, done, onDone, ...look }: Props<T>) {
  const action = useAction();
  const [asking, setAsking] = useState(false);
  const ending = { ...(done && { done }), ...(onDone && { onDone }) };
  return (
    <>
      <ReasonedButton
        {...look}
        label={label}
        icon={icon}
        why={why}
        busy={action.busy}
        onClick={() => (confirm === undefined ? void action.run(run, ending) : setAsking(true))}
      />
      {confirm !== undefined && asking && (
        <FormDialog
          title={confirm.title}
          action={label}
          danger={confirm.danger ?? false}
          run={run}
          {...ending}
          onDone={(result) => {
            setAsking(false);
            onDone?.(result);
          }}
          onClose={() => setAsking(false)}
        >
          {confirm.text}
        </FormDialog>
      )}
    </>
  );
}

interface ReasonedProps extends Look {
  readonly why?: string | undefined;
  readonly busy?: boolean;
  readonly onClick: () => void;
}

/** A button that says why it is disabled, also in the palette. It keeps the focus, so that keyboards and screen readers find the reason, too. */
export function ReasonedButton({
  label,
  icon,
  iconOnly = false,
  why,
  busy = false,
  onClick,
  variant = "default",
  ...look
}: ReasonedProps) {
  const button = useFocusKept(busy);
  const act = () => why === undefined && !busy && onClick();
  useOffer({ label, icon, why, act });
  // Always of the same shape: a button that were made anew with its reason would lose the focus.
  return (
    <Tooltip
      label={sentence(why ?? label)}
      disabled={why === undefined && !iconOnly}
      events={{ hover: true, focus: true, touch: true }}
    >
      <Button
        {...look}
        ref={button}
        variant={variant}
        {...(iconOnly ? { "aria-label": label, px: 6 } : { leftSection: icon })}
        loading={busy}
        data-disabled={why !== undefined || undefined}
        aria-disabled={why !== undefined || undefined}
        onClick={(event) => (why === undefined ? onClick() : event.preventDefault())}
      >
        {iconOnly ? icon : label}
      </Button>
    </Tooltip>
  );
}
