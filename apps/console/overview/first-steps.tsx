import { Button, Group } from "@mantine/core";
import { EmptyState, PageLink, paths } from "@reeve/kit";
import type { Scope } from "@reeve/model";

const workflows = { name: "Workflow", plural: "workflows" };
const services = { name: "Service", plural: "services" };
const hosts = { name: "Host", plural: "hosts" };

/** For who has just come, in place of charts that have nothing to draw. */
export function FirstSteps({ scope }: { readonly scope: Scope }) {
  const ways = [
    { label: "Write a workflow", to: paths.create(workflows, scope), variant: "filled" },
    { label: "Bring a service to a host", to: paths.list(services, scope), variant: "default" },
    { label: "Let a machine join", to: paths.list(hosts, scope), variant: "default" },
  ];
  return (
    <EmptyState
      title="Nothing has run yet"
      action={
        <Group gap="xs">
          {ways.map(({ label, variant, to }) => (
            <Button key={label} component={PageLink} to={to} variant={variant}>
              {label}
            </Button>
          ))}
        </Group>
      }
    >
      A workflow is a list of steps that agents do, begun by people, schedules and webhooks. A service is a
      Compose file that agents keep running. A host is a machine with an agent.
    </EmptyState>
  );
}
