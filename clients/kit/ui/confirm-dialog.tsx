import { Button, Group, Modal, Stack, TextInput } from "@mantine/core";
import { type ReactNode, useState } from "react";

interface Props {
  readonly opened: boolean;
  readonly onClose: () => void;
  readonly title: string;
  /** What will happen, and what will not come back. */
  readonly children?: ReactNode;
  /** The word on the button: "Delete". */
  readonly action: string;
  readonly danger?: boolean;
  /** Must be typed first, for what cannot be undone. */
  readonly typed?: string;
  readonly busy?: boolean;
  readonly onConfirm: () => void;
}

/** Asks once more before something that people would regret. */
export function ConfirmDialog(props: Props) {
  return (
    <Modal opened={props.opened} onClose={props.onClose} title={props.title} centered>
      {/* Made anew each time, so that nothing typed before is still there. */}
      <Question {...props} />
    </Modal>
  );
}

function Question({ children, action, danger, typed, busy, onClose, onConfirm }: Props) {
  const [text, setText] = useState("");
  const held = typed !== undefined && text !== typed;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (!held) onConfirm();
      }}
    >
      <Stack>
        {children}
        {typed !== undefined && (
          <TextInput
            label={`Type ${typed} to go on`}
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
            autoComplete="off"
            data-autofocus
          />
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" color={danger ? "red.8" : undefined} disabled={held} loading={busy ?? false}>
            {action}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
