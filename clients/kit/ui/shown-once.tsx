import { Alert, Button, Stack, Text } from "@mantine/core";
import { IconEye } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { Dialog } from "./dialog.tsx";
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
  if (text === undefined) return null;
  return (
    <Dialog title={title} size="lg" stays onClose={onClose}>
      <Stack>
        {children && <Text component="div">{children}</Text>}
        <Command text={text} />
        <Alert color="yellow" icon={<IconEye />}>
          It is not shown again. Copy it now.
        </Alert>
        <Button onClick={onClose} style={{ alignSelf: "flex-end" }}>
          I have copied it
        </Button>
      </Stack>
    </Dialog>
  );
}
