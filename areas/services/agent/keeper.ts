import { createHash } from "node:crypto";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Keeper, KeepOrder, Means, Wanted } from "@reeve/agent";
import type { JsonObject } from "@reeve/model";
import { type Bundle, bundleName, openedName } from "../kinds/bundle.ts";
import type { ServiceAct, ServiceOrder } from "../kinds/kept.ts";
import { adoptedOf, agreeing, refuseOthers, withAdopted } from "./adopt/agreeing.ts";
import { type DockerPlace, openCompose } from "./compose.ts";
import type { Container } from "./engine/container.ts";
import { openEngine } from "./engine/engine.ts";
import { type Expectations, expectationsOf } from "./expected.ts";
import { type Folder, folderOf } from "./folder.ts";
import { writeLabels } from "./labels.ts";
import { overridden, stoppedOf } from "./overrides.ts";
import { pullImages } from "./pull.ts";
import {
  judge,
  misnamed,
  planFor,
  type SeenService,
  type ServiceChange,
  tellOf,
  toHold,
} from "./standing.ts";
import { openContainerUsage } from "./usage/containers.ts";

/** Keeps Compose projects: the only code that runs `docker compose`. Looks through the engine's own interface. */
export function serviceKeeper(
  docker: DockerPlace,
  compose = openCompose(docker),
  /** Fills with the projects that were adopted, and whose they are: their containers may bear no label of ours. */
  adoptions = new Map<string, string>(),
): Keeper<SeenService, ServiceChange> {
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
    available: async () => (await compose.which()) !== undefined,
    async capabilities() {
      const program = await compose.which();
      // An agent does not wait for an engine that hangs.
      const asked = engine.version().catch(() => undefined);
      const version = await Promise.race([asked, sleep(askMs, undefined, { ref: false })]);
      return [
        ...(program === undefined ? [] : [`${program.argv.join(" ")} ${program.version}`]),
        ...(version === undefined ? [] : [version]),
        ...(version?.startsWith("Podman") ? [podmanLacks] : []),
      ];
    },
    async prepare(order, means) {
      const spec = specOf(order);
      const folder = placeOf(order, means);
      await refuseOthers(engine, folder, spec, order.uid);
      const stage = await stageOf(spec, folder, means);
      const plain = await expectations(order.uid, spec, folder, stage, means.signal);
      const images = Object.values(plain).map(({ image }) => image);
      await folder.needsImages(spec.bundle, images);
      if (spec.state === "running") await pullMissing(spec, projectArgs(spec, stage, stage), plain, means);
      if (spec.folder === undefined) return plain as unknown as JsonObject;
      const found =
        (await folder.adopted()) ?? (await agreeing(engine, compose, spec, stage, plain, means.signal));
      return withAdopted(plain, found) as unknown as JsonObject;
    },
    async observe(wanted, means) {
      const { project, bundle, folder: inPlace } = specOf(wanted);
      uids.set(project, wanted.uid);
      const folder = placeOf(wanted, means);
      const owned = (await folder.owner()) === wanted.uid;
      const [placed, adopting, containers] = await Promise.all([
        owned && !wanted.gone && folder.isPlaced(bundle),
        owned && folder.isAdopting(),
        engine.containers(project),
      ]);
      if (owned && inPlace !== undefined) adoptions.set(project, wanted.uid);
      if (owned) seen.set(wanted.uid, containers);
      else seen.delete(wanted.uid);
      return { owned, adopting, placed, containers, at: Date.now() };
    },
    plan: planFor,
    judge,
    tell: (wanted, seen) => tellOf(wanted, seen) as unknown as JsonObject,
    blind: (why) => ({ state: "unknown", why, containers: [] }),
    async apply(change, wanted, means) {
      const spec = specOf(wanted);
      const folder = placeOf(wanted, means);
      if (change === "place") return folder.place(wanted.uid, spec.bundle, adoptedOf(wanted));
      if (change === "up") return up(wanted, spec, folder, means);
      if (change === "hold") return hold(wanted, spec);
      if (change === "rename") return rename(spec);
      if (change === "down") return down(spec, folder, means);
      const left = await folder.clear();
      if (left.length > 0) means.say(`data stays, for you to keep or to remove: ${left.join(", ")}`);
      uids.delete(spec.project);
      adoptions.delete(spec.project);
      readLast.delete(wanted.uid);
    },
    settled: (wanted, means) => placeOf(wanted, means).settle(specOf(wanted).bundle),
    async explain(wanted, means) {
      const spec = specOf(wanted);
      const named = await nameArgs(spec, placeOf(wanted, means), means);
      const args = [...named, "logs", "--no-color", "--tail", "20"];
      return compose.run({ args, env: spec.environment, signal: means.signal }).catch(() => "");
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
    const folder = placeOf(wanted, means);
    const call = { env: spec.environment, signal: means.signal, say: means.say };
    const args = projectArgs(spec, folder.live, folder.live);
    if (container !== undefined) {
      const found = (await engine.containers(spec.project)).find(({ name }) => name === container);
      if (found === undefined) throw new Error(`there is no container ${container} of this service here`);
      if (verb === "restart") await engine.restart(found.id);
    } else if (verb === "restart") await compose.run({ ...call, args: [...args, "restart"] });
    else {
      const expected = wanted.prepared as unknown as Expectations;
      await pullImages(engine, compose, spec, args, expected, means);
      await up(wanted, spec, folder, means);
    }
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
    const config = await compose.run({
      args: [
        ...projectArgs(spec, stage, stage),
        "config",
        ...((await compose.which())?.major === 1 ? [] : ["--format", "json"]),
      ],
      env: spec.environment,
      hidden: linesOf(await folder.opened(spec.bundle)),
      signal,
    });
    const expected = await expectationsOf(config, stage, folder.live, await folder.bundle(spec.bundle));
    readLast.set(uid, { digest, expected });
    return expected;
  }

  async function pullMissing(
    spec: ServiceOrder,
    args: readonly string[],
    expected: Expectations,
    means: Means,
  ): Promise<void> {
    const all = Object.entries(expected);
    const there = await Promise.all(all.map(([, { image }]) => engine.hasImage(image)));
    const missing = all.filter((_, at) => !there[at]);
    if (missing.length === 0) return;
    means.say(`pulls the images of ${missing.map(([name]) => name).join(", ")}`);
    await pullImages(engine, compose, spec, args, Object.fromEntries(missing), means);
  }

  async function up(wanted: Wanted, spec: ServiceOrder, folder: Folder, means: Means): Promise<void> {
    const expected = wanted.prepared as unknown as Expectations;
    const containers = await engine.containers(spec.project);
    const labels = await writeLabels(folder, spec, wanted, containers);
    const only = onlyStarted(wanted, containers);
    if (only === undefined) return;
    // Compose would pull what is not there any more, and has no credentials.
    if (spec.registries !== undefined)
      await pullMissing(spec, projectArgs(spec, folder.live, folder.live), expected, means);
    await compose.run({
      args: [
        ...projectArgs(spec, folder.live, folder.live, ...labels),
        ...["up", "-d", "--remove-orphans", "--no-build", ...only],
      ],
      env: spec.environment,
      hidden: linesOf(await folder.opened(spec.bundle)),
      signal: means.signal,
      say: means.say,
    });
  }

  /** Compose starts whatever it looks at: what is to stay stopped is left out. Undefined when nothing else is there. */
  function onlyStarted(wanted: Wanted, containers: readonly Container[]): string[] | undefined {
    const stopped = stoppedOf(wanted);
    if (Object.keys(stopped).length === 0) return [];
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

  /** Named volumes stay. */
  async function down(spec: ServiceOrder, folder: Folder, means: Means): Promise<void> {
    await compose.run({
      args: [...(await nameArgs(spec, folder, means)), "down", "--remove-orphans"],
      env: spec.environment,
      signal: means.signal,
      say: means.say,
    });
  }

  /** By the project's name alone, so that what is removed need not be readable any more. The Compose before wants to read it. */
  async function nameArgs(spec: ServiceOrder, folder: Folder, means: Means): Promise<string[]> {
    if ((await compose.which())?.major !== 1) return ["-p", spec.project];
    const stage = await stageOf(spec, folder, means);
    return projectArgs(spec, stage, folder.live);
  }
}

const askMs = 3000;

/** Told with the host's facts; docs/services.md says more. */
const podmanLacks = "Podman in part: health checks only with systemd";

function placeOf(order: KeepOrder, means: Means): Folder {
  const { project, folder } = specOf(order);
  return folderOf(means.folder, project, folder);
}

function specOf({ spec }: KeepOrder): ServiceOrder {
  return spec as unknown as ServiceOrder;
}

function stageOf({ bundle, sealed = [] }: ServiceOrder, folder: Folder, { fetch }: Means): Promise<string> {
  return folder.stage(bundle, {
    sealed,
    fetch: () => fetch(bundleName(bundle)),
    open: () => fetch(openedName(bundle)),
  });
}

/** What Compose may say of a file that it cannot read: a line of it, or what stands there after the name. */
function linesOf(files: Bundle): string[] {
  const lines = Object.values(files).flatMap((text) => text.split(/\r?\n/));
  return lines.flatMap((line) => [line.trim(), line.replace(/^[^=:]*[=:]\s*/, "").trim()]);
}

function projectArgs(spec: ServiceOrder, files: string, folder: string, ...more: string[]): string[] {
  const all = [...spec.compose.map((name) => join(files, name)), ...more];
  return ["-p", spec.project, "--project-directory", folder, ...all.flatMap((file) => ["-f", file])];
}
