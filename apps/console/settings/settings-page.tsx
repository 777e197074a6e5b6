import { Stack } from "@mantine/core";
import { PageHeader } from "@reeve/kit";
import { Backups } from "./backups.tsx";
import { Keys } from "./keys.tsx";
import { KindLinks } from "./kind-links.tsx";
import { Replicas } from "./replicas.tsx";

/** What is about the installation as a whole. Settings of the process are its variables: docs/reference/configuration.md. */
export default function SettingsPage() {
  return (
    <>
      <PageHeader
        title="Settings"
        lead="What is about the installation as a whole. How a server listens, logs and keeps is set where it is started, by REEVE_… variables."
      />
      <Stack maw={980}>
        <KindLinks />
        <Backups />
        <Keys />
        <Replicas />
      </Stack>
    </>
  );
}
