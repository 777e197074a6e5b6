import { Badge, Group, Paper, SimpleGrid, Stack, Title } from "@mantine/core";
import {
  Age,
  ConditionsView,
  Fact,
  inOrder,
  OwnerTree,
  schemaAt,
  useWhy,
  ValueView,
  WhyView,
} from "@reeve/kit";
import { isObject, type Json, type JsonObject, type Resource } from "@reeve/model";
import type { KindInfo } from "@reeve/sdk";
import type { ReactNode } from "react";
import classes from "./detail.module.css";

interface Props {
  readonly kind: KindInfo;
  readonly resource: Resource;
}

/** Shown in a way of their own. */
const ownWay = ["conditions", "observedAt", "observedGeneration"];

/** How it is, beside what was wanted. */
export function DetailOverview({ kind, resource }: Props) {
  const why = useWhy(kind, resource);
  const status = Object.entries(resource.status).filter(([key]) => !ownWay.includes(key));
  return (
    <div className={classes.columns}>
      <Stack gap="md" miw={0}>
        {(resource.status.conditions?.length ?? 0) > 0 && (
          <Part title="Conditions">
            <ConditionsView resource={resource} />
          </Part>
        )}
        {status.length > 0 && (
          <Part title="Observed">
            <ValueView
              value={inOrder(schemaAt(kind.status), Object.fromEntries(status) as JsonObject)}
              about={aboutOf(kind.status)}
            />
          </Part>
        )}
        <Part title="Wanted">
          <ValueView value={inOrder(schemaAt(kind.spec), resource.spec)} about={aboutOf(kind.spec)} />
        </Part>
      </Stack>
      <Stack gap="md" miw={0}>
        <Part title="Why it is so">
          <WhyView why={why} />
        </Part>
        <Part title="Belongs together">
          <OwnerTree resource={resource} why={why.value} />
        </Part>
        <Part title="About">
          <About resource={resource} />
        </Part>
      </Stack>
    </div>
  );
}

function Part({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <Paper withBorder p="md" component="section">
      <Title order={2} mb="xs">
        {title}
      </Title>
      {children}
    </Paper>
  );
}

function About({ resource: { metadata } }: { readonly resource: Resource }) {
  const { labels, annotations, finalizers, generation, revision, uid, createdAt, updatedAt } = metadata;
  return (
    <Stack gap="xs">
      <SimpleGrid cols={2} spacing="xs">
        <Fact name="Generation">{generation}</Fact>
        <Fact name="Revision">{revision}</Fact>
        <Fact name="Created">
          <Age at={createdAt} />
        </Fact>
        <Fact name="Changed">
          <Age at={updatedAt} />
        </Fact>
      </SimpleGrid>
      <Fact name="Uid">
        <span className="mono">{uid}</span>
      </Fact>
      {Object.keys(labels).length > 0 && (
        <Fact name="Labels">
          <Group gap={4}>
            {Object.entries(labels).map(([key, value]) => (
              <Badge key={key} variant="default" tt="none" fw={400} className="mono">
                {key}={value}
              </Badge>
            ))}
          </Group>
        </Fact>
      )}
      {Object.keys(annotations).length > 0 && (
        <Fact name="Annotations">
          <ValueView value={annotations as JsonObject} />
        </Fact>
      )}
      {finalizers.length > 0 && <Fact name="Finalizers">{finalizers.join(", ")}</Fact>}
    </Stack>
  );
}

/** What each field means, by its schema. */
function aboutOf(schema: JsonObject): Record<string, string> {
  const properties = isObject(schema.properties) ? schema.properties : {};
  return Object.fromEntries(
    Object.entries(properties).flatMap(([name, one]: [string, Json]) =>
      isObject(one) && typeof one.description === "string" ? [[name, one.description]] : [],
    ),
  );
}
