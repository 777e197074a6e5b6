import { Badge, Group, SimpleGrid, Stack } from "@mantine/core";
import { isObject, type Json, type JsonObject, type Resource } from "@reeve/model";
import type { KindInfo } from "@reeve/sdk";
import { Age } from "../ui/age.tsx";
import { Fact } from "../ui/facts.tsx";
import { inOrder } from "../ui/schema/in-order.ts";
import { schemaAt } from "../ui/schema/schema.ts";
import { Section } from "../ui/section.tsx";
import { ConditionsView } from "./conditions-view.tsx";
import { Observation } from "./observation.tsx";
import { OwnerTree } from "./owner-tree.tsx";
import classes from "./resource-overview.module.css";
import { ValueView } from "./value-view.tsx";
import { useWhy, WhyView } from "./why-view.tsx";

interface Props {
  readonly kind: KindInfo;
  readonly resource: Resource;
}

/** Shown in a way of their own. */
const ownWay = ["conditions", "observedAt", "observedGeneration"];

/** How a resource of any kind is, beside what was wanted. */
export function ResourceOverview({ kind, resource }: Props) {
  const why = useWhy(kind, resource);
  return (
    <div className={classes.columns}>
      <Stack gap="md" miw={0}>
        <Observed kind={kind} resource={resource} />
        <Section title="Wanted">
          <ValueView value={inOrder(schemaAt(kind.spec), resource.spec)} about={aboutOf(kind.spec)} />
        </Section>
      </Stack>
      <Stack gap="md" miw={0}>
        <Section title="Why it is so">
          <WhyView why={why} />
        </Section>
        <Section title="Belongs together">
          <OwnerTree resource={resource} why={why.value} />
        </Section>
        <Section title="About">
          <About resource={resource} />
        </Section>
      </Stack>
    </div>
  );
}

/** What is known of it, and how old that is. */
function Observed({ kind, resource }: Props) {
  const { conditions = [], observedAt } = resource.status;
  const rest = Object.entries(resource.status).filter(([key]) => !ownWay.includes(key));
  const hasConditions = conditions.length > 0;
  return (
    <>
      {hasConditions && (
        <Section title="Conditions">
          <ConditionsView conditions={conditions} />
          <Observation resource={resource} />
        </Section>
      )}
      {(rest.length > 0 || (observedAt && !hasConditions)) && (
        <Section title="Observed">
          {rest.length > 0 && (
            <ValueView
              value={inOrder(schemaAt(kind.status), Object.fromEntries(rest) as JsonObject)}
              about={aboutOf(kind.status)}
            />
          )}
          {!hasConditions && <Observation resource={resource} />}
        </Section>
      )}
    </>
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
