import { Code, Group } from "@mantine/core";

/** The labels by which steps choose a host. */
export function Labels({ labels }: { readonly labels: Readonly<Record<string, string>> }) {
  return (
    <Group gap={4} component="span" display="inline-flex">
      {Object.entries(labels).map(([key, value]) => (
        <Code key={key}>
          {key}={value}
        </Code>
      ))}
    </Group>
  );
}
