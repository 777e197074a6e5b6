import { Anchor, Stack } from "@mantine/core";
import { Age, client, Facts, FaultView, PageHeader, Section, useReading } from "@reeve/kit";
import { Health } from "./health.tsx";

/** What runs here, how it is, and where more is written. */
export default function AboutPage() {
  const { value: server, fault } = useReading("server", () => client.server());
  return (
    <>
      <PageHeader title="About" lead="This installation of Reeve." />
      <Stack maw={860}>
        {fault && <FaultView fault={fault} />}
        <Section title="Version">
          {server && (
            <Facts
              of={{
                Version: server.version,
                "Answered by": `${server.replica} (${server.roles.join(", ")})`,
                "Up since": <Age at={server.startedAt} />,
                Timeline: server.timeline,
                Address: globalThis.location.origin,
              }}
            />
          )}
        </Section>
        <Health />
        <Section title="Licence and documentation">
          <Facts
            of={{
              Licence: "Apache License 2.0",
              API: (
                <Anchor href="/docs" size="sm">
                  Its description, to read and to try
                </Anchor>
              ),
              OpenAPI: (
                <Anchor href="/openapi.json" size="sm">
                  openapi.json
                </Anchor>
              ),
              Terminal: <code>reeve login {globalThis.location.origin}</code>,
            }}
          />
        </Section>
      </Stack>
    </>
  );
}
