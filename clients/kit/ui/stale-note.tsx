import { Text } from "@mantine/core";
import { IconPlugConnectedX } from "@tabler/icons-react";
import type { LiveList } from "../live/use-list.ts";
import { Age } from "./age.tsx";

/** Says how old what is shown is, while the connection is lost. */
export function StaleNote({ list }: { readonly list: Pick<LiveList<unknown>, "state" | "since"> }) {
  if (list.state !== "stale") return null;
  return (
    <Text size="xs" c="dimmed" mb={6} role="status">
      <IconPlugConnectedX size={13} aria-hidden /> As it was when the connection was lost,{" "}
      <Age at={list.since?.toISOString()} />
    </Text>
  );
}
