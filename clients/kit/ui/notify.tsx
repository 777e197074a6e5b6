import { notifications } from "@mantine/notifications";
import type { Fault } from "@reeve/model";
import { IconAlertCircle, IconCheck } from "@tabler/icons-react";
import { sentence } from "./fault-view.tsx";

/** Says that something worked; it goes away by itself. */
export function tell(message: string): void {
  notifications.show({ message, color: "green", icon: <IconCheck size={16} />, autoClose: 4000 });
}

/** Says what went wrong and what to do next; it stays until it is read. */
export function tellFault({ message, next }: Fault): void {
  notifications.show({
    title: sentence(message),
    message: next && sentence(next),
    color: "red",
    icon: <IconAlertCircle size={16} />,
    autoClose: false,
    withCloseButton: true,
    role: "alert",
  });
}
