/** What services need on a host: their keeper, and what people look at. */
import { join } from "node:path";
import type { Keeper, Opener } from "@reeve/agent";
import { projectsOpener } from "./adopt/opener.ts";
import { type DockerPlace, openCompose } from "./compose.ts";
import { openEngine } from "./engine/engine.ts";
import { execOpener } from "./exec/opener.ts";
import { serviceKeeper } from "./keeper.ts";
import { collectLogs } from "./logs/collect.ts";
import { openLogStore } from "./logs/log-store.ts";
import { logsOpener } from "./logs/opener.ts";
import { ownContainers } from "./own.ts";
import { storageOpener } from "./storage/opener.ts";

export type { DockerPlace } from "./compose.ts";

/** `folder` is the agent's own. Logs are collected for as long as services are kept. */
export function servicesOn(docker: DockerPlace, folder: string): { keeper: Keeper; openers: Opener[] } {
  const engine = openEngine(docker.host);
  const store = openLogStore(join(folder, "service-logs"));
  const adopted = new Map<string, string>();
  const own = ownContainers(engine, adopted);
  const compose = openCompose(docker);
  const keeper = serviceKeeper(docker, compose, adopted) as Keeper;
  return {
    keeper: {
      ...keeper,
      async apply(change, wanted, means) {
        await keeper.apply(change, wanted, means);
        if (change === "clear") await store.remove(wanted.uid);
      },
      watch(changed) {
        const stop = keeper.watch(changed);
        const collecting = collectLogs(engine, own, store);
        return () => {
          stop();
          void collecting.close().then(engine.close);
        };
      },
    },
    openers: [
      logsOpener(store),
      execOpener(engine, own),
      projectsOpener(engine, compose, adopted),
      storageOpener(engine, join(folder, "services")),
    ],
  };
}
