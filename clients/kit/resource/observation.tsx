import { Text } from "@mantine/core";
import type { Resource } from "@reeve/model";
import { Age } from "../ui/age.tsx";

/** How old what is known is: an old observation is no knowledge. */
export function Observation({ resource: { status, metadata } }: { readonly resource: Resource }) {
  const { observedAt, observedGeneration } = status;
  if (observedAt === undefined) return null;
  const isBehind = observedGeneration !== undefined && observedGeneration < metadata.generation;
  return (
    <Text size="xs" c="dimmed" mt={4}>
      Observed <Age at={observedAt} />
      {isBehind && `, of generation ${observedGeneration}: the newest is ${metadata.generation}`}
    </Text>
  );
}
