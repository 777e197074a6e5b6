import type { Opener } from "@reeve/agent";
import type { Compose } from "../compose.ts";
import type { Engine } from "../engine/engine.ts";
import { findProjects, readProject } from "./found.ts";

/** The Compose projects of this host that are nobody's, or one of them with its files; as JSON. */
export function projectsOpener(
  engine: Engine,
  compose: Compose,
  adopted: ReadonlyMap<string, string>,
): Opener {
  return {
    name: "service-projects",
    async open(asked, { show, signal }) {
      const { project } = asked as { project?: string };
      const all = await findProjects(engine, adopted);
      const found = all.find((one) => one.project === project);
      if (project !== undefined && found === undefined)
        throw new Error(`there is no Compose project ${project} here that no service keeps`);
      const told = found === undefined ? all : await readProject(engine, compose, found, signal);
      await show(Buffer.from(JSON.stringify(told)));
      return {};
    },
  };
}
