import { Alert, Button, Code, Group, List, Stack, Table, Text, Title } from "@mantine/core";
import type { Json, JsonObject, Resource } from "@reeve/model";
import { toYaml } from "@reeve/model/yaml";
import type { KindInfo } from "@reeve/sdk";
import { client } from "../../client.ts";
import { Age } from "../../ui/age.tsx";
import { DiffView } from "../../ui/diff/diff-view.tsx";
import { type Clash, merge } from "../../ui/diff/merge.ts";
import { useLoaded } from "../../use-loaded.ts";
import { writable, writableText } from "../writable.ts";

interface Props {
  readonly kind: KindInfo;
  /** What both began with. */
  readonly base: Resource;
  readonly current: Resource;
  readonly mine: JsonObject;
  readonly onTake: (manifest: JsonObject) => void;
  readonly onCancel: () => void;
}

/** Somebody else was faster: what they changed, where it clashes with one's own, and the ways on. */
export function ConflictView({ kind, base, current, mine, onTake, onCancel }: Props) {
  const told = merge(writable(kind, base), mine, writable(kind, current));
  return (
    <Stack>
      <Alert color="yellow" title="Nothing of yours was applied">
        <Text size="sm">Somebody else has written since you began. Below is what they changed.</Text>
        <Writers kind={kind} base={base} current={current} />
      </Alert>
      <section>
        <Title order={2} mb="xs">
          What was changed meanwhile
        </Title>
        <DiffView
          before={writableText(kind, base)}
          after={writableText(kind, current)}
          label="What was changed meanwhile"
        />
      </section>
      {told.clashes.length === 0 ? (
        <Text size="sm">Your changes are at other places: both can be kept.</Text>
      ) : (
        <Clashes clashes={told.clashes} />
      )}
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={onCancel}>
          Go on writing
        </Button>
        <Button variant="default" onClick={() => onTake(writable(kind, current))}>
          Drop mine
        </Button>
        <Button onClick={() => onTake((told.merged ?? {}) as JsonObject)}>
          {told.clashes.length === 0 ? "Keep both" : "Keep both, mine where they clash"}
        </Button>
      </Group>
    </Stack>
  );
}

function Writers({ kind, base, current }: Pick<Props, "kind" | "base" | "current">) {
  const { scope, name, revision } = current.metadata;
  const { value } = useLoaded(`${revision}`, (signal) =>
    client.kind(kind).history(scope, name, { limit: 20, signal }),
  );
  const newer = (value ?? []).filter((one) => one.generation > base.metadata.generation);
  return (
    <List size="sm" mt="xs">
      {newer.map(({ generation, author, at, reason }) => (
        <List.Item key={generation}>
          <Code>{author}</Code> wrote generation {generation}, <Age at={at} />
          {reason ? `: ${reason}` : ""}
        </List.Item>
      ))}
    </List>
  );
}

function Clashes({ clashes }: { readonly clashes: readonly Clash[] }) {
  return (
    <section>
      <Title order={2} mb="xs">
        Where both of you changed the same
      </Title>
      <Table.ScrollContainer minWidth={480} type="native">
        <Table withTableBorder>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Field</Table.Th>
              <Table.Th>Yours</Table.Th>
              <Table.Th>Theirs</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {clashes.map((clash) => (
              <Table.Tr key={clash.pointer}>
                <Table.Td className="mono">{clash.pointer}</Table.Td>
                <Table.Td>{shown(clash.mine)}</Table.Td>
                <Table.Td>{shown(clash.theirs)}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </section>
  );
}

function shown(value: Json | undefined) {
  return value === undefined ? <Text size="sm">left out</Text> : <Code block>{toYaml(value).trimEnd()}</Code>;
}
