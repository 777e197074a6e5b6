import { Stack } from "@mantine/core";
import { paths, RunList, Section, useQuery } from "@reeve/kit";
import { Service } from "../kinds/index.ts";
import { DeployView } from "./deploy-view.tsx";
import type { TabProps } from "./service-tabs.tsx";

/** The runs that brought it to its hosts, and the one that was chosen: the latest until somebody chooses. */
export function DeploysTab({ service }: TabProps) {
  const { scope, name } = service.metadata;
  const [query] = useQuery();
  const shown = query.run ?? service.status.run;
  return (
    <Stack>
      <RunList
        of={{ kind: Service.name, scope, name }}
        limit={50}
        to={({ id }) => paths.resource(Service, scope, name, { tab: "deploys", run: id })}
        empty="It was never deployed. Press Deploy to bring it to its hosts."
      />
      {shown !== undefined && (
        <Section title={`Run ${shown.slice(-8)}`}>
          <DeployView key={shown} id={shown} />
        </Section>
      )}
    </Stack>
  );
}
