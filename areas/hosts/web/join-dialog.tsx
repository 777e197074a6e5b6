import { Alert, Button, Group, NumberInput, Select, Stack, Switch, Text, TextInput } from "@mantine/core";
import { Command, Dialog, FormDialog, makeAndAct, PageLink, paths, StateBadge, useList } from "@reeve/kit";
import { newUid, type ResourceOf, type Scope, showScope } from "@reeve/model";
import { IconEye } from "@tabler/icons-react";
import { useState } from "react";
import type { JoinToken } from "../kinds/index.ts";
import type { HostResource } from "./agent-state.tsx";
import { joinCommand, readLabels } from "./join-command.ts";

const tokens = { name: "JoinToken", plural: "jointokens" };
const hosts = { name: "Host", plural: "hosts" };
const hours = { "1 hour": 1, "1 day": 24, "1 week": 168 };

interface Props {
  readonly scope: Scope;
  readonly onClose: () => void;
}

/** Makes a join token, shows the command to run on the machine once, and waits with the person until it is there. */
export function JoinDialog({ scope, onClose }: Props) {
  const [issued, setIssued] = useState<IssuedToken>();
  const title = `Join a machine to ${showScope(scope)}`;
  if (issued === undefined)
    return <TokenForm title={title} scope={scope} onIssued={setIssued} onClose={onClose} />;
  return (
    <Dialog title={title} size="lg" stays onClose={onClose}>
      <Issued scope={scope} {...issued} onClose={onClose} />
    </Dialog>
  );
}

interface IssuedToken {
  readonly name: string;
  readonly token: string;
}

interface FormProps extends Props {
  readonly title: string;
  readonly onIssued: (issued: IssuedToken) => void;
}

function TokenForm({ title, scope, onIssued, onClose }: FormProps) {
  const [uses, setUses] = useState(1);
  const [time, setTime] = useState("1 hour");
  const [pattern, setPattern] = useState("");
  const [labels, setLabels] = useState("");
  const [replace, setReplace] = useState(false);
  const issue = async () => {
    const name = `join-${newUid().slice(-8)}`;
    const given = readLabels(labels);
    const spec = {
      uses,
      expiresAt: new Date(Date.now() + hours[time as keyof typeof hours] * 3_600_000).toISOString(),
      ...(pattern && { hosts: pattern }),
      ...(Object.keys(given).length > 0 && { labels: given }),
      ...(replace && { replace }),
    };
    const { token } = await makeAndAct<{ token: string }>(
      tokens,
      { metadata: { scope, name }, spec },
      "issue",
    );
    return { name, token };
  };
  return (
    <FormDialog
      title={title}
      size="lg"
      action="Show the command"
      run={issue}
      onDone={onIssued}
      onClose={onClose}
    >
      <Text size="sm" c="dimmed">
        A join token lets an agent in as a new host. It is shown once, as part of the command that you run on
        the machine.
      </Text>
      <Group grow align="flex-start" preventGrowOverflow={false}>
        <NumberInput
          label="Machines"
          description="How many may join with it."
          min={1}
          max={10_000}
          value={uses}
          onChange={(value) => setUses(Number(value) || 1)}
          miw={140}
        />
        <Select
          label="Works for"
          description="Then it is of no use."
          data={Object.keys(hours)}
          value={time}
          onChange={(value) => setTime(value ?? "1 hour")}
          allowDeselect={false}
          miw={140}
        />
      </Group>
      <TextInput
        label="Names"
        description="Under which they may join; * stands for anything. Any name when left out."
        placeholder="build-*"
        value={pattern}
        onChange={(event) => setPattern(event.currentTarget.value)}
      />
      <TextInput
        label="Labels"
        description="What steps choose hosts by, separated by commas."
        placeholder="pool=build, zone=a"
        value={labels}
        onChange={(event) => setLabels(event.currentTarget.value)}
      />
      <Switch
        label="May take the place of a host of the same name, such as one whose disk was wiped"
        checked={replace}
        onChange={(event) => setReplace(event.currentTarget.checked)}
      />
    </FormDialog>
  );
}

interface IssuedProps extends Props, IssuedToken {}

function Issued({ scope, name, token, onClose }: IssuedProps) {
  const { rows } = useList<ResourceOf<typeof JoinToken>>(tokens, scope, {
    fields: { "metadata.name": name },
    deep: false,
  });
  const joined = rows[0]?.status.hosts ?? [];
  return (
    <Stack>
      <Text size="sm">Run this on the machine, as a user who may become root:</Text>
      <Command text={joinCommand(globalThis.location.origin, token)} />
      <Alert color="yellow" icon={<IconEye />}>
        The token in it is not shown again. Copy the command now.
      </Alert>
      <Stack gap={4} aria-live="polite">
        {joined.length === 0 ? (
          <StateBadge state="pending" word="waiting for a machine to join" />
        ) : (
          joined.map((host) => <Joined key={host} scope={scope} name={host} />)
        )}
      </Stack>
      <Button onClick={onClose} style={{ alignSelf: "flex-end" }}>
        Close
      </Button>
    </Stack>
  );
}

/** A host that has joined with the token, as it comes up. */
function Joined({ scope, name }: { readonly scope: Scope; readonly name: string }) {
  const { rows } = useList<HostResource>(hosts, scope, { fields: { "metadata.name": name }, deep: false });
  return (
    <Group gap="sm">
      <PageLink to={paths.resource(hosts, scope, name)}>{name}</PageLink>
      <StateBadge state={rows[0]?.status.agent ?? "joined"} />
    </Group>
  );
}
