import { ActionIcon, Badge, Code, CopyButton, Group, Stack, Text, Tooltip } from "@mantine/core";
import { isObject, type Json } from "@reeve/model";
import { toYaml } from "@reeve/model/yaml";
import { IconCheck, IconCopy } from "@tabler/icons-react";
import { Age } from "../ui/age.tsx";
import classes from "./value-view.module.css";

interface Props {
  readonly value: Json;
  /** What a key means, by key. */
  readonly about?: Readonly<Record<string, string>>;
}

/** Any value for people to read: fields with their words, times as ages, and the rest as YAML. */
export function ValueView({ value, about = {} }: Props) {
  if (!isObject(value)) return <Scalar value={value} />;
  const entries = Object.entries(value);
  if (entries.length === 0)
    return (
      <Text size="sm" c="dimmed">
        nothing
      </Text>
    );
  return (
    <dl className={classes.fields}>
      {entries.map(([key, one]) => (
        <div key={key} className={classes.field}>
          <Tooltip label={about[key]} disabled={about[key] === undefined}>
            <dt className="mono">{key}</dt>
          </Tooltip>
          <dd>
            <Inner value={one} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Inner({ value }: { readonly value: Json }) {
  if (Array.isArray(value) && value.length > 0 && value.every((one) => typeof one !== "object"))
    return (
      <Group gap={4}>
        {value.map((one, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: plain words, which may repeat
          <Badge key={index} variant="default" tt="none" fw={400} className="mono">
            {String(one)}
          </Badge>
        ))}
      </Group>
    );
  if (typeof value === "object" && value !== null && Object.keys(value).length > 0)
    return (
      <Code block tabIndex={0}>
        {toYaml(value).trimEnd()}
      </Code>
    );
  return <Scalar value={value} />;
}

const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d/;

function Scalar({ value }: { readonly value: Json }) {
  if (value === null || typeof value === "object")
    return (
      <Text size="sm" c="dimmed">
        none
      </Text>
    );
  if (typeof value === "boolean") return <Text size="sm">{value ? "yes" : "no"}</Text>;
  if (typeof value === "number") return <Text size="sm">{value}</Text>;
  if (time.test(value))
    return (
      <Text size="sm" component="div">
        <Age at={value} />
      </Text>
    );
  return (
    <Stack gap={0}>
      <Group gap={4} wrap="nowrap" align="flex-start">
        <Text size="sm" className={classes.text}>
          {value}
        </Text>
        <CopyButton value={value}>
          {({ copied, copy }) => (
            <ActionIcon
              className={classes.copy}
              size="xs"
              variant="subtle"
              color="gray"
              onClick={copy}
              aria-label={copied ? "Copied" : "Copy"}
            >
              {copied ? <IconCheck size={12} /> : <IconCopy size={12} />}
            </ActionIcon>
          )}
        </CopyButton>
      </Group>
    </Stack>
  );
}
