import { ActionIcon, Button, Menu, Text, TextInput, Tooltip } from "@mantine/core";
import {
  IconAlertCircle,
  IconArrowBarToDown,
  IconChevronDown,
  IconChevronUp,
  IconClock,
  IconDownload,
  IconSearch,
  IconTextWrap,
} from "@tabler/icons-react";
import { memo, type ReactNode, useState } from "react";
import classes from "./log.module.css";
import type { LogViewProps } from "./log-view.tsx";
import type { LogSearch, useLogSearch } from "./use-log-search.ts";

interface Props extends Pick<LogViewProps, "downloads" | "sought" | "onSought"> {
  readonly live: boolean;
  readonly wrap: boolean;
  readonly setWrap: (on: boolean) => void;
  readonly times: boolean;
  readonly setTimes: (on: boolean) => void;
  readonly following: boolean;
  readonly onFollow: (on: boolean) => void;
  readonly finding: ReturnType<typeof useLogSearch>;
}

/** What can be done with a log: find, jump to an error, follow, wrap, tell times, keep. They stay as they are while it scrolls. */
export const LogTools = memo((props: Props) => {
  const { wrap, setWrap, times, setTimes, following, onFollow, live, downloads, finding } = props;
  const { search, findErrors, step } = finding;
  const [text, setText] = useState(props.sought ?? "");
  const find = (what: string) => {
    props.onSought(what || undefined);
    finding.find(what);
  };
  return (
    <div className={classes.tools} role="toolbar" aria-label="Log">
      <TextInput
        size="xs"
        w={200}
        flex="0 1 220px"
        aria-label="Find in the whole log"
        placeholder="Find in the whole log"
        leftSection={<IconSearch size={14} />}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === "Escape") {
            setText("");
            find("");
          }
          if (event.key !== "Enter") return;
          if (text !== search.what) find(text);
          else step(event.shiftKey ? -1 : 1);
        }}
      />
      <Button
        size="xs"
        variant="default"
        leftSection={<IconAlertCircle size={14} />}
        onClick={() => {
          if (search.errors && search.at >= 0) return step(1);
          setText("");
          props.onSought(undefined);
          findErrors();
        }}
      >
        {search.errors && search.at >= 0 ? "Next error" : "First error"}
      </Button>
      {search.at >= 0 && (
        <>
          <Tool label="Previous match" icon={<IconChevronUp size={14} />} act={() => step(-1)} />
          <Tool label="Next match" icon={<IconChevronDown size={14} />} act={() => step(1)} />
        </>
      )}
      <Text size="xs" c="dimmed" role="status">
        {searchText(search)}
      </Text>
      <span style={{ marginLeft: "auto", display: "flex", gap: "0.25rem" }}>
        {live && (
          <Button
            size="xs"
            variant={following ? "light" : "default"}
            leftSection={<IconArrowBarToDown size={14} />}
            aria-pressed={following}
            onClick={() => onFollow(!following)}
          >
            Follow
          </Button>
        )}
        <Tool label="Times" icon={<IconClock size={14} />} on={times} act={() => setTimes(!times)} />
        <Tool
          label="Wrap long lines"
          icon={<IconTextWrap size={14} />}
          on={wrap}
          act={() => setWrap(!wrap)}
        />
        <Menu position="bottom-end">
          <Menu.Target>
            <ActionIcon variant="default" size="md" aria-label="Download">
              <IconDownload size={14} />
            </ActionIcon>
          </Menu.Target>
          <Menu.Dropdown>
            {downloads.map(({ label, href }) => (
              <Menu.Item key={href} component="a" href={href} download>
                {label}
              </Menu.Item>
            ))}
          </Menu.Dropdown>
        </Menu>
      </span>
    </div>
  );
});

interface ToolProps {
  readonly label: string;
  readonly icon: ReactNode;
  readonly act: () => void;
  readonly on?: boolean;
}

function Tool({ label, icon, act, on }: ToolProps) {
  return (
    <Tooltip label={label}>
      <ActionIcon
        variant={on ? "light" : "default"}
        size="md"
        aria-label={label}
        aria-pressed={on}
        onClick={act}
      >
        {icon}
      </ActionIcon>
    </Tooltip>
  );
}

function searchText({ what, errors, found, at, whole, busy, problem }: LogSearch): string {
  if (problem !== undefined) return problem;
  if (busy) return "searching";
  if (at >= 0) return `${at + 1} of ${found.length}${whole ? "" : "+"}`;
  if (errors) return "no line looks like an error";
  return what === "" ? "" : "no line has it";
}
