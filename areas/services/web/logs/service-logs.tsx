import { Alert, Group, Select, Stack, Text, TextInput } from "@mantine/core";
import { clock, FaultView, LogFrame, LogText, useCan, useQuery } from "@reeve/kit";
import type { Scope } from "@reeve/model";
import { IconAlertTriangle, IconSearch } from "@tabler/icons-react";
import { useLayoutEffect, useRef } from "react";
import classes from "./logs.module.css";
import { type ShownLine, useServiceLog } from "./use-service-log.ts";

interface Props {
  readonly scope: Scope;
  readonly name: string;
}

/** What the containers of a service say, on all its hosts, as they say it. */
export function ServiceLogs(props: Props) {
  const can = useCan({ verb: "logs", kind: "Service", scope: props.scope, name: props.name });
  if (can.allowed === false)
    return (
      <Text size="sm" c="dimmed">
        You cannot read what its containers say: {can.reason}.
      </Text>
    );
  return can.allowed ? <Following {...props} /> : null;
}

function Following({ scope, name }: Props) {
  const { lines, notes, fault } = useServiceLog(scope, name);
  const [{ host, container, find = "" }, patch] = useQuery();
  if (fault) return <FaultView fault={fault} />;
  const sought = find.toLowerCase();
  const shown = lines.filter(
    (line) =>
      (host === undefined || line.host === host) &&
      (container === undefined || line.container === container) &&
      line.text.toLowerCase().includes(sought),
  );
  const containers = all(lines, "container", container);
  const hosts = all(lines, "host", host);
  return (
    <Stack gap="sm">
      <Group gap="xs">
        <TextInput
          aria-label="Find in the lines"
          placeholder="Only lines with"
          leftSection={<IconSearch size={14} />}
          value={find}
          onChange={({ currentTarget }) => patch({ find: currentTarget.value || undefined })}
          flex="1 1 12rem"
          maw={320}
        />
        <Select
          aria-label="Container"
          placeholder="All containers"
          data={containers}
          value={container ?? null}
          onChange={(next) => patch({ container: next ?? undefined })}
          clearable
          w={220}
        />
        {hosts.length > 1 && (
          <Select
            aria-label="Host"
            placeholder="All hosts"
            data={hosts}
            value={host ?? null}
            onChange={(next) => patch({ host: next ?? undefined })}
            clearable
            w={180}
          />
        )}
      </Group>
      {[...notes].map(([host, why]) => (
        <Alert key={host} color="yellow" icon={<IconAlertTriangle />} title={`Nothing is heard of ${host}`}>
          {why}
        </Alert>
      ))}
      <LogFrame>
        <Lines lines={shown} sought={find} of={name} />
      </LogFrame>
      <Text size="xs" c="dimmed">
        The newest lines, live. All that is kept, also of containers that are gone:{" "}
        <code>reeve logs service/{name}</code>
      </Text>
    </Stack>
  );
}

/** The hosts, or the containers, that have said something, and the one that was chosen. */
function all(lines: readonly ShownLine[], what: "host" | "container", chosen: string | undefined): string[] {
  return [...new Set([...lines.map((line) => line[what]), ...(chosen ? [chosen] : [])])].sort();
}

interface LinesProps {
  readonly lines: readonly ShownLine[];
  readonly sought: string;
  readonly of: string;
}

/** Stays at the end for as long as nobody scrolls up. */
function Lines({ lines, sought, of }: LinesProps) {
  const box = useRef<HTMLElement>(null);
  const atEnd = useRef(true);
  const hosts = new Set(lines.map(({ host }) => host));
  // biome-ignore lint/correctness/useExhaustiveDependencies: new lines are the reason to move
  useLayoutEffect(() => {
    if (atEnd.current && box.current) box.current.scrollTop = box.current.scrollHeight;
  }, [lines]);
  return (
    <section
      ref={box}
      className={classes.box}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
      tabIndex={0}
      aria-label={`Log of ${of}`}
      onScroll={({ currentTarget: { scrollTop, clientHeight, scrollHeight } }) => {
        atEnd.current = scrollTop + clientHeight >= scrollHeight - 24;
      }}
    >
      {lines.length === 0 && (
        <Text size="sm" c="dimmed" p="md">
          {sought === "" ? "Nothing was said yet. Lines appear here as they come." : "No line has that."}
        </Text>
      )}
      {lines.map((line) => (
        <div key={line.count} className={classes.row} data-stream={line.stream}>
          <span className={classes.from} title={line.at}>
            {clock(line.at)}
          </span>
          <span className={classes.from}>
            {hosts.size > 1 && `${line.host} `}
            {line.container}
          </span>
          <span className={classes.text}>
            <LogText line={line} sought={sought} />
          </span>
        </div>
      ))}
    </section>
  );
}
