import { Group, Stack, Text } from "@mantine/core";
import { Age, type Attention, type AttentionSource, PageLink, Section, useCan } from "@reeve/kit";
import type { Scope } from "@reeve/model";
import { IconAlertTriangle, IconCircleCheck, IconCircleX, IconHourglass } from "@tabler/icons-react";
import { useCallback, useEffect, useState } from "react";
import { webAreas } from "../areas.ts";
import { useFailedRuns } from "./failed-runs.ts";
import classes from "./overview.module.css";

const sources: readonly AttentionSource[] = [
  { name: "runs", use: useFailedRuns },
  ...webAreas.flatMap((area) => area.attention ?? []),
];
const levels = {
  failed: { order: 0, icon: <IconCircleX size={16} className={classes.failed} />, word: "failed" },
  waiting: { order: 1, icon: <IconHourglass size={16} className={classes.waiting} />, word: "waiting" },
  soon: { order: 2, icon: <IconAlertTriangle size={16} className={classes.soon} />, word: "soon" },
};
const shownMost = 12;

/** What the areas say needs somebody, the worst first. */
export function AttentionList({ scope }: { readonly scope: Scope }) {
  const [found, setFound] = useState<Readonly<Record<string, readonly Attention[]>>>({});
  const tell = useCallback(
    (name: string, things: readonly Attention[]) => setFound((before) => ({ ...before, [name]: things })),
    [],
  );
  const things = Object.values(found).flat();
  const told = new Set(things.map(({ run }) => run));
  const all = things
    .filter(({ key }) => !told.has(key))
    .sort((a, b) => levels[a.level].order - levels[b.level].order);
  return (
    <Section
      title="Needs attention"
      lead={all.length === 0 ? undefined : `${all.length} in all, the worst first.`}
    >
      {sources.map((source) => (
        <Source key={source.name} source={source} scope={scope} onFound={tell} />
      ))}
      {all.length === 0 ? (
        <Group gap="xs">
          <IconCircleCheck size={16} className={classes.well} />
          <Text size="sm">Nothing. All that you may see is well.</Text>
        </Group>
      ) : (
        <Stack component="ul" gap={0} p={0} m={0}>
          {all.slice(0, shownMost).map((one) => (
            <Thing key={`${one.to} ${one.key}`} thing={one} />
          ))}
        </Stack>
      )}
    </Section>
  );
}

interface SourceProps {
  readonly source: AttentionSource;
  readonly scope: Scope;
  readonly onFound: (name: string, things: readonly Attention[]) => void;
}

/** Each in a component of its own, because each is a hook. */
function Source({ source, scope, onFound }: SourceProps) {
  const things = source.use(scope);
  const key = JSON.stringify(things);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key is all of the things
  useEffect(() => onFound(source.name, things), [source.name, key, onFound]);
  return null;
}

function Thing({ thing: { level, title, detail, at, to, needs } }: { readonly thing: Attention }) {
  const { icon, word } = levels[level];
  return (
    <li className={classes.line}>
      <PageLink to={to} className={classes.link}>
        <span role="img" aria-label={word} className={classes.icon}>
          {icon}
        </span>
        <span className={classes.words}>
          <Text span size="sm" fw={500}>
            {title}
          </Text>
          {detail && (
            <Text span size="sm" c="dimmed" lineClamp={1}>
              {detail}
            </Text>
          )}
          {needs && <NotYours needs={needs} />}
        </span>
        {at && (
          <Text span size="xs" c="dimmed">
            <Age at={at} />
          </Text>
        )}
      </PageLink>
    </li>
  );
}

function NotYours({ needs }: { readonly needs: NonNullable<Attention["needs"]> }) {
  const { allowed, reason } = useCan(needs);
  if (allowed !== false) return null;
  return (
    <Text span size="sm" c="dimmed">
      Not for you to do: {reason}.
    </Text>
  );
}
