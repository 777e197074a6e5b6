import { Modal, type ModalProps } from "@mantine/core";
import type { ReactNode } from "react";
import { useFocusBack } from "./focus.ts";

interface Props {
  readonly title: string;
  readonly size?: ModalProps["size"];
  /** Closes by a button of its own only, because what it shows is not shown again. */
  readonly stays?: boolean;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** The frame of every dialog. It is open as long as it is there, keeps the focus, and gives it back. */
export function Dialog({ title, size, stays = false, onClose, children }: Props) {
  useFocusBack();
  return (
    <Modal
      opened
      onClose={onClose}
      title={title}
      size={size}
      closeOnClickOutside={!stays}
      closeOnEscape={!stays}
      withCloseButton={!stays}
    >
      {children}
    </Modal>
  );
}
