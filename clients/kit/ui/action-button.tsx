import { Button, type ButtonProps, Tooltip } from "@mantine/core";
import type { Verdict } from "@reeve/model";
import type { MouseEventHandler, ReactNode } from "react";
import { sentence } from "./fault-view.tsx";

interface Props extends ButtonProps {
  /** Whether it can be done; undefined while that is being asked. */
  readonly verdict: Verdict | undefined;
  readonly onClick: MouseEventHandler<HTMLButtonElement>;
  readonly children: ReactNode;
}

/** A button that says why it cannot be pressed. It can still be reached by keyboard, or nobody there would hear the reason. */
export function ActionButton({ verdict, onClick, children, ...rest }: Props) {
  const why = verdict === undefined ? "one moment" : verdict.yes ? undefined : verdict.why;
  const disabled = why !== undefined;
  return (
    <Tooltip label={sentence(why ?? "")} disabled={!disabled || verdict === undefined}>
      <Button
        {...rest}
        aria-disabled={disabled}
        data-disabled={disabled || undefined}
        aria-description={why}
        onClick={(event) => (disabled ? event.preventDefault() : onClick(event))}
      >
        {children}
      </Button>
    </Tooltip>
  );
}
