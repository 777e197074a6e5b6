import { Group, Text } from "@mantine/core";
import type { ReactNode } from "react";
import classes from "./notice.module.css";

interface Props {
  readonly tone: "waiting" | "bad";
  readonly icon: ReactNode;
  readonly title: string;
  readonly text: string;
  /** What can be done about it. */
  readonly children?: ReactNode;
}

/** What a person must see first on a page. */
export function Notice({ tone, icon, title, text, children }: Props) {
  return (
    <div role="alert" className={classes.notice} data-tone={tone}>
      <Group gap="sm" wrap="nowrap" align="flex-start" flex="1 1 14rem" miw={0}>
        <span className={classes.icon}>{icon}</span>
        <div>
          <Text fw={600} size="sm">
            {title}
          </Text>
          <Text size="sm">{text}</Text>
        </div>
      </Group>
      {children && <Group gap="xs">{children}</Group>}
    </div>
  );
}
