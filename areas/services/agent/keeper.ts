import { createHash } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Keeper, KeepOrder, Means, Wanted } from "@reeve/agent";
import type { JsonObject } from "@reeve/model";
import { bundleName } from "../kinds/bundle.ts";
import type { ServiceAct, ServiceOrder } from "../kinds/kept.ts";
import { compose, type DockerPlace } from "./compose.ts";
import type { Container } from "./engine/container.ts";
import { openEngine } from "./engine/engine.ts";
import { type Expectations, expectationsOf } from "./expected.ts";
import { type Folder, folderOf } from "./folder.ts";
import { overridden, stoppedOf } from "./overrides.ts";
import {
  configLabel,
  judge,
  misnamed,
  planFor,
  type SeenService,
  type ServiceChange,
  serviceLabel,
  tellOf,
  toHold,
} from "./standing.ts";
import { openContainerUsage } from "./usage/containers.ts";

/** Keeps Compose projects: the only code that runs `docker compose`. Looks through the engine's own interface. */
export function serviceKeeper(docker: DockerPlace): Keeper<SeenService, ServiceChange> {
  const engine = openEngine(docker.host);
  /** Whose project is whose, so that news of the engine reach the right service. */
  const uids = new Map<string, string>();
  /** Of each service, the configuration that was read last. */
  const readLast = new Map<string, { digest: string; expected: Expectations }>();
  /** As they were seen last, by service. */
  const seen = new Map<string, readonly Container[]>();
  const readUsage = openContainerUsage();

  return {
    kind: "Service",
    available: () => compose(docker, { args: ["version", "--short"] }).then(yes, no),
    async prepare(order, means) {
      const spec = specOf(order);
      const folder = folderOf(means.folder, spec.project);
      await refuseForeign(folder, spec, order.uid);
      const stage = await folder.stage(spec.bundle, () => means.fetch(bundleName(spec.bundle)));
      const expected = await expectations(order.uid, spec, folder, stage, means.signal);
      if (spec.state === "running") await pullMissing(spec, stage, expected, means);
      return expected as unknown as JsonObject;
    },
    async observe(wanted, means) {
      const { project, bundle } = specOf(wanted);
      uids.set(project, wanted.uid);
      const folder = folderOf(means.folder, project);
      const owned = (await folder.owner()) === wanted.uid;
      const [placed, containers] = await Promise.all([
        owned && !wanted.gone && folder.isPlaced(bundle),
        engine.containers(project),
      ]);
      if (owned) seen.set(wanted.uid, containers);
      else seen.delete(wanted.uid);
      return { owned, placed, containers, at: Date.now() };
    },
    plan: planFor,
    judge,
    tell: (wanted, seen) => tellOf(wanted, seen) as unknown as JsonObject,
    blind: (why) => ({ state: "unknown", why, containers: [] }),
    async apply(change, wanted, means) {
      const spec = specOf(wanted);
      const folder = folderOf(means.folder, spec.project);
      if (change === "place") return folder.place(wanted.uid, spec.bundle);
      if (change === "up") return up(wanted, spec, folder, means);
      if (change === "hold") return hold(wanted, spec);
      if (change === "rename") return rename(spec);
      if (change === "down") return down(spec, means);
      const left = await folder.clear();
      if (left.length > 0) means.say(`data stays, for you to keep or to remove: ${left.join(", ")}`);
      uids.delete(spec.project);
      readLast.delete(wanted.uid);
    },
    settled: (wanted, means) => {
      const { project, bundle } = specOf(wanted);
      return folderOf(means.folder, project).keepOnly(bundle);
    },
    explain(wanted, { signal }) {
      const { project } = specOf(wanted);
      const args = ["-p", project, "logs", "--no-color", "--tail", "20"];
      return compose(docker, { args, signal }).catch(() => "");
    },
    usage: () => readUsage(seen),
    acts: { perform, overridden },
    watch(changed) {
      const watching = engine.watch((project) => {
        const uid = project === undefined ? undefined : uids.get(project);
        if (project === undefined || uid !== undefined) changed(uid);
      });
      return () => {
        watching.close();
        engine.close();
      };
    },
  };

  async function perform(act: JsonObject, wanted: Wanted, means: Means): Promise<void> {
    const { do: verb, container } = act as unknown as ServiceAct;
    const spec = specOf(wanted);
    const folder = folderOf(means.folder, spec.project);
    const call = { env: spec.environment, signal: means.signal, say: means.say };
    const args = projectArgs(spec, folder.live, folder.live, folder.labels);
    if (container !== undefined) {
      const found = (await engine.containers(spec.project)).find(({ name }) => name === container);
      if (found === undefined) throw new Error(`there is no container ${container} of this service here`);
      if (verb === "restart") await engine.restart(found.id);
    } else if (verb === "restart") await compose(docker, { ...call, args: [...args, "restart"] });
    else {
      await compose(docker, { ...call, args: [...args, "pull", "--quiet"] });
      await up(wanted, spec, folder, means);
    }
  }

  /** A project of that name that is not this service's would be taken over, or torn down, by mistake. */
  async function refuseForeign(folder: Folder, { project }: ServiceOrder, uid: string): Promise<void> {
    const owner = await folder.owner();
    if (owner === uid) return;
    if (owner !== undefined)
      throw new Error(
        `the project ${project} on this host is another service's: give this one a \`project\` of its own`,
      );
    const [foreign] = await engine.containers(project);
    if (foreign !== undefined)
      throw new Error(
        `there is a Compose project ${project} on this host that Reeve does not keep (${foreign.name}): remove it, or give the service another \`project\``,
      );
  }

  /** The step that keeps a generation comes right after the one that made it ready: Compose need not read it twice. */
  async function expectations(
    uid: string,
    spec: ServiceOrder,
    folder: Folder,
    stage: string,
    signal: AbortSignal,
  ): Promise<Expectations> {
    const digest = createHash("sha256").update(JSON.stringify(spec)).digest("hex");
    const known = readLast.get(uid);
    if (known?.digest === digest) return known.expected;
    const config = await compose(docker, {
      args: [...projectArgs(spec, stage, stage), "config", "--format", "json"],
      env: spec.environment,
      signal,
    });
    const expected = expectationsOf(config, stage, folder.live, await folder.bundle(spec.bundle));
    readLast.set(uid, { digest, expected });
    return expected;
  }

  async function pullMissing(
    spec: ServiceOrder,
    stage: string,
    expected: Expectations,
    means: Means,
  ): Promise<void> {
    const services = await Promise.all(
      Object.entries(expected).map(async ([name, { image }]) =>
        (await engine.hasImage(image)) ? [] : [name],
      ),
    );
    const missing = services.flat();
    if (missing.length === 0) return;
    means.say(`pulls the images of ${missing.join(", ")}`);
    await compose(docker, {
      args: [...projectArgs(spec, stage, stage), "pull", "--quiet", ...missing],
      env: spec.environment,
      signal: means.signal,
      say: means.say,
    });
  }

  async function up(wanted: Wanted, spec: ServiceOrder, folder: Folder, means: Means): Promise<void> {
    await writeLabels(folder.labels, wanted);
    const only = await onlyStarted(wanted, spec);
    if (only === undefined) return;
    await compose(docker, {
      args: [
        ...projectArgs(spec, folder.live, folder.live, folder.labels),
        "up",
        "-d",
        "--remove-orphans",
        "--no-build",
        ...only,
      ],
      env: spec.environment,
      signal: means.signal,
      say: means.say,
    });
  }

  /** Compose starts whatever it looks at: what is to stay stopped is left out. Undefined when nothing else is there. */
  async function onlyStarted(wanted: Wanted, { project }: ServiceOrder): Promise<string[] | undefined> {
    const stopped = stoppedOf(wanted);
    if (Object.keys(stopped).length === 0) return [];
    const containers = await engine.containers(project);
    const started = Object.keys(wanted.prepared).filter((name) => {
      const own = containers.filter(({ service }) => service === name);
      return own.length === 0 || own.some((one) => !Object.hasOwn(stopped, one.name));
    });
    return started.length === 0 ? undefined : ["--no-deps", ...started];
  }

  async function hold(wanted: Wanted, { project }: ServiceOrder): Promise<void> {
    for (const { id } of toHold(wanted, await engine.containers(project))) await engine.stop(id);
  }

  async function rename({ project }: ServiceOrder): Promise<void> {
    const containers = await engine.containers(project);
    for (const { id, name } of misnamed(containers)) await engine.rename(id, name);
  }

  /** By the project's name alone: what is removed need not be readable any more. Named volumes stay. */
  async function down({ project }: ServiceOrder, means: Means): Promise<void> {
    await compose(docker, {
      args: ["-p", project, "down", "--remove-orphans"],
      signal: means.signal,
      say: means.say,
    });
  }
}

const yes = () => true;
const no = () => false;

function specOf({ spec }: KeepOrder): ServiceOrder {
  return spec as unknown as ServiceOrder;
}

function projectArgs(spec: ServiceOrder, files: string, folder: string, ...more: string[]): string[] {
  const all = [...spec.compose.map((name) => join(files, name)), ...more];
  return ["-p", spec.project, "--project-directory", folder, ...all.flatMap((file) => ["-f", file])];
}

/** JSON is YAML. */
async function writeLabels(file: string, { uid, prepared }: Wanted): Promise<void> {
  const services = Object.entries(prepared as unknown as Expectations).map(([name, { config }]) => [
    name,
    { labels: { [serviceLabel]: uid, [configLabel]: config } },
  ]);
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  await writeFile(file, JSON.stringify({ services: Object.fromEntries(services) }), { mode: 0o600 });
}
