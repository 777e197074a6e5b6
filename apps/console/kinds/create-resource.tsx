import { Group, Select, Text } from "@mantine/core";
import {
  emptyManifest,
  freshValue,
  PageHeader,
  PageLink,
  paths,
  ResourceEditor,
  schemaAt,
  tell,
  useCan,
  useGo,
  useQuery,
} from "@reeve/kit";
import { levelOf, type Scope, showScope } from "@reeve/model";
import type { KindInfo } from "@reeve/sdk";
import { useMemo } from "react";
import { useScopes } from "../shell/scopes.ts";
import { named, spoken } from "./words.ts";
import { useWritingAid, wayOf } from "./writing-aid.tsx";

interface Props {
  readonly kind: KindInfo;
  readonly scope: Scope;
}

/** Makes a resource of any kind. */
export function CreateResource({ kind, scope }: Props) {
  const [query, setQuery] = useQuery();
  const go = useGo();
  const livesHere = kind.levels.includes(levelOf(scope));
  const { allowed, reason } = useCan({ verb: "create", kind: kind.name, scope });
  const { beside, first } = useWritingAid(kind);
  const initial = useMemo(
    () => first?.(scope) ?? emptyManifest(kind, scope, freshValue(schemaAt(kind.spec))),
    [kind, scope, first],
  );
  return (
    <>
      <PageHeader
        title={`Create a ${spoken(kind)}`}
        lead={kind.summary}
        above={<PageLink to={paths.list(kind, scope)}>{named(kind)}</PageLink>}
      />
      <ScopePicker kind={kind} scope={scope} />
      {livesHere && (
        <ResourceEditor
          key={scope}
          kind={kind}
          scope={scope}
          base={undefined}
          initial={initial}
          as={wayOf(query, beside !== undefined)}
          onAs={(as) => setQuery({ as })}
          {...(beside && { beside })}
          why={allowed === false ? reason : undefined}
          onCancel={() => go(paths.list(kind, scope))}
          onDone={({ metadata }) => {
            tell(`${metadata.name} is created`);
            go(paths.resource(kind, metadata.scope, metadata.name));
          }}
        />
      )}
    </>
  );
}

function ScopePicker({ kind, scope }: Props) {
  const go = useGo();
  const [query] = useQuery();
  const all = new Set(["", scope, ...useScopes()]);
  const fitting = [...all].filter((one) => kind.levels.includes(levelOf(one))).sort();
  const livesHere = kind.levels.includes(levelOf(scope));
  if (kind.levels.every((level) => level === "installation")) return null;
  return (
    <Group mb="md" gap="xs" align="flex-end">
      <Select
        label="Scope"
        description={`Where it lives: ${kind.levels.join(", ")}.`}
        data={fitting.map((one) => ({ value: one || "/", label: showScope(one) }))}
        value={livesHere ? scope || "/" : null}
        onChange={(next) => next && go(paths.create(kind, next === "/" ? "" : next, query))}
        placeholder="choose a scope"
        searchable
        allowDeselect={false}
        classNames={{ input: "mono" }}
        w={360}
      />
      {!livesHere && fitting.length === 0 && (
        <Text size="sm" c="dimmed">
          There is no scope yet where this can live.
        </Text>
      )}
    </Group>
  );
}
