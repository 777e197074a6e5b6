import { Button, Group, type ModalProps, Stack } from "@mantine/core";
import type { FieldError } from "@reeve/model";
import { type FormEvent, type ReactNode, useState } from "react";
import { type Change, useAction } from "../live/use-action.ts";
import { Dialog } from "./dialog.tsx";
import { FaultView } from "./fault-view.tsx";
import { useFocusKept } from "./focus.ts";

interface Props<T> extends Change<T> {
  readonly title: string;
  readonly size?: ModalProps["size"];
  readonly onClose: () => void;
  /** What will happen, and the fields; fields that can tell what is wrong with them are given it. */
  readonly children?: ReactNode | ((errors: readonly FieldError[]) => ReactNode);
  /** The word on the button: "Delete". */
  readonly action: string;
  /** The word on the button that does nothing. */
  readonly cancel?: string;
  readonly danger?: boolean;
  /** Something that it asks for is not there yet. */
  readonly held?: boolean;
  /** What is wrong with the fields, told from the first try on; nothing is sent as long as there is something. */
  readonly check?: () => readonly FieldError[];
}

/** A dialog that asks for something and does it: once for each click, and what goes wrong is told in it. */
export function FormDialog<T>(props: Props<T>) {
  const { title, size, onClose, children, action, cancel = "Cancel", danger = false, held = false } = props;
  const [tried, setTried] = useState(false);
  const { run, busy, fault } = useAction();
  const button = useFocusKept(busy);
  const wrong = props.check?.() ?? [];
  const submit = (event: FormEvent) => {
    event.preventDefault();
    // The page around the dialog may have a form of its own: in React's tree this one is inside of it.
    event.stopPropagation();
    setTried(true);
    if (!held && wrong.length === 0) void run(props.run, { ...props, quiet: true });
  };
  const errors = [...(tried ? wrong : []), ...(fault?.errors ?? [])];
  return (
    <Dialog title={title} size={size} onClose={onClose}>
      <form onSubmit={submit} autoComplete="off" ref={markFirstField}>
        <Stack>
          {typeof children === "function" ? children(errors) : children}
          {fault && <FaultView fault={fault} />}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose} data-autofocus={danger || undefined}>
              {cancel}
            </Button>
            <Button
              ref={button}
              type="submit"
              color={danger ? "red.8" : undefined}
              disabled={held}
              loading={busy}
              data-autofocus={!danger || undefined}
            >
              {action}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}

/** The focus goes to the first field, not to the button that closes. */
function markFirstField(form: HTMLFormElement | null): void {
  form?.querySelector("input:not([type=hidden]), textarea")?.setAttribute("data-autofocus", "");
}
