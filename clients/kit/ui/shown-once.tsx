import { Alert, Button, Modal, Stack, Text } from "@mantine/core";
import { IconEye } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { Command } from "./empty-state.tsx";

interface Props {
  readonly title: string;
  /** The text itself; undefined while there is none to show. */
  readonly text: string | undefined;
  /** What to do with it. */
  readonly children?: ReactNode;
  readonly onClose: () => void;
}

/** A text that the server tells once. It lives in this dialog and nowhere else, and closes by its button only. */
export function ShownOnce({ title, text, children, onClose }: Props) {
  return (
    <Modal
      opened={text !== undefined}
      onClose={onClose}
      title={title}
      size="lg"
      closeOnClickOutside={false}
      closeOnEscape={false}
      withCloseButton={false}
    >
      <Stack>
        {children && <Text component="div">{children}</Text>}
        {text !== undefined && <Command text={text} />}
        <Alert color="yellow" icon={<IconEye />}>
          It is not shown again. Copy it now.
        </Alert>
        <Button onClick={onClose} style={{ alignSelf: "flex-end" }}>
          I have copied it
        </Button>
      </Stack>
    </Modal>
  );
}
