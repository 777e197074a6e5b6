import { Alert, Group, Kbd, Stack, Text } from "@mantine/core";
import { IconPlugConnectedX, IconTerminal2 } from "@tabler/icons-react";
import { type ReactNode, useRef } from "react";
import { ReasonedButton } from "../action-button.tsx";
import { FaultView, sentence } from "../fault-view.tsx";
import { LogFrame } from "../log/log-text.tsx";
import { StateBadge } from "../state-badge.tsx";
import classes from "./terminal.module.css";
import { type AskTicket, type Ended, useTerminal } from "./use-terminal.ts";

export interface TerminalViewProps {
  /** What it is a terminal of: "Terminal of web-1". */
  readonly label: string;
  /** Why it cannot be opened now. */
  readonly why: string | undefined;
  /** Asks for the ticket that opens it. */
  readonly ask: AskTicket;
  /** What the person chooses before; it stays as it is while the terminal is open. */
  readonly fields?: (isOpen: boolean) => ReactNode;
  /** What it is, before it is opened for the first time. */
  readonly children: ReactNode;
}

/** A terminal that a person opens, and opens again when it has ended. It is never opened by an address alone. */
export function TerminalView({ label, why, ask, fields, children }: TerminalViewProps) {
  const way = useRef<HTMLDivElement>(null);
  const { box, is, ended, recorded, action, open, close } = useTerminal({
    ...{ label, ask },
    left: () => way.current?.querySelector("button")?.focus(),
  });
  const isOpen = is === "open";
  return (
    <Stack gap="sm">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (!isOpen && why === undefined) open();
        }}
      >
        <Group gap="xs" align="flex-end">
          {fields?.(isOpen)}
          <ReasonedButton
            label={is === "ended" ? "Open again" : "Open terminal"}
            icon={<IconTerminal2 size={14} />}
            variant="filled"
            size="sm"
            why={isOpen ? "it is open" : why}
            busy={action.busy}
            onClick={open}
          />
        </Group>
      </form>
      {action.fault && <FaultView fault={action.fault} />}
      {ended && <EndNote ended={ended} />}
      <LogFrame>
        <section className={classes.room} aria-label={label}>
          <div ref={box} className={classes.box} />
          {is === "new" && (
            <Text component="div" size="sm" c="dimmed" className={classes.nothing}>
              {children}
              {why !== undefined && ` ${sentence(why)}.`}
            </Text>
          )}
        </section>
      </LogFrame>
      <Group gap="xs" ref={way}>
        <ReasonedButton label="Close" why={isOpen ? undefined : "it is not open"} onClick={close} />
        {recorded && <StateBadge state="running" word="recorded" />}
        <Text size="xs" c="dimmed" flex="1 1 14rem">
          <Kbd size="xs">Ctrl</Kbd> <Kbd size="xs">.</Kbd> takes the keyboard out of the terminal. Who opens
          one, where and how it ends is in the audit.
        </Text>
      </Group>
    </Stack>
  );
}

function EndNote({ ended }: { readonly ended: Ended }) {
  if (ended instanceof Error)
    return (
      <Alert color="red" icon={<IconPlugConnectedX />} title={sentence(ended.message)}>
        {sentence(ended.next ?? "what ran in it was ended; open it again")}
      </Alert>
    );
  const { exitCode, why } = ended;
  return (
    <Alert color={exitCode === 0 ? "gray" : "yellow"} icon={<IconPlugConnectedX />} role="status">
      {why === undefined ? `It has ended with exit code ${exitCode}.` : `It was ended: ${why}.`}
    </Alert>
  );
}
