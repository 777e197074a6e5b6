import { Button, Stack } from "@mantine/core";
import { Notice, PageLink, paths } from "@reeve/kit";
import { IconAlertTriangle, IconX } from "@tabler/icons-react";
import { Service } from "../kinds/index.ts";
import { differencesOf } from "./seen.ts";
import type { TabProps } from "./service-tabs.tsx";

/** Why a service is not as it was written; nothing while it is, or while a run sees to it. */
export function NotAsWanted({ service, run }: Pick<TabProps, "service" | "run">) {
  const { scope, name } = service.metadata;
  const found = differencesOf(service, run !== undefined);
  if (found.length === 0) return null;
  return (
    <Stack gap="xs">
      {found.map((one) => (
        <Notice
          key={one.key}
          tone={one.level === "failed" ? "bad" : "waiting"}
          icon={one.level === "failed" ? <IconX size={18} /> : <IconAlertTriangle size={18} />}
          title={one.title}
          text={one.text}
        >
          {one.run !== undefined && (
            <Button
              component={PageLink}
              variant="default"
              to={paths.resource(Service, scope, name, { tab: "deploys", run: one.run })}
            >
              Show its log
            </Button>
          )}
        </Notice>
      ))}
    </Stack>
  );
}
