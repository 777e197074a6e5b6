import { Stack, Text, Title } from "@mantine/core";
import { CodeView } from "@reeve/kit";
import { composeFilesOf } from "../kinds/compose-file.ts";
import type { TabProps } from "./service-tabs.tsx";

/** What is put into its folder on each host: the Compose files first, in the order in which Compose reads them. */
export function FilesTab({ service: { spec } }: TabProps) {
  const files = spec.files ?? {};
  const compose = composeFilesOf({ ...spec, files });
  const others = Object.keys(files).filter((path) => !compose.includes(path));
  return (
    <Stack>
      {[...compose, ...others.sort()].map((path) => (
        <section key={path}>
          <Title order={2} mb={4} className="mono">
            {path}{" "}
            {compose.includes(path) && (
              <Text span size="sm" c="dimmed">
                Compose reads it
              </Text>
            )}
          </Title>
          <CodeView text={files[path] ?? ""} label={path} maxHeight="480px" />
        </section>
      ))}
    </Stack>
  );
}
