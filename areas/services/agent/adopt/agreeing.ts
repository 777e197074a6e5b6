import { join } from "node:path";
import type { Wanted } from "@reeve/agent";
import type { ServiceOrder } from "../../kinds/kept.ts";
import type { Compose } from "../compose.ts";
import type { Container } from "../engine/container.ts";
import type { Engine } from "../engine/engine.ts";
import type { Expectations } from "../expected.ts";
import type { Adopted, Folder } from "../folder.ts";

export const folderLabel = "com.docker.compose.project.working_dir";

/**
 * A project of that name that is not this service's would be taken over, or torn down, by mistake. One that is to be adopted has to be
 * where the service says that it is: nobody gets to write into some other folder of the host by it.
 */
export async function refuseOthers(
  engine: Engine,
  folder: Folder,
  { project, folder: inPlace }: ServiceOrder,
  uid: string,
): Promise<void> {
  const owner = await folder.owner();
  if (owner === uid) return;
  if (owner !== undefined)
    throw new Error(
      `the project ${project} on this host is another service's: give this one a \`project\` of its own`,
    );
  const found = await engine.containers(project);
  const [first] = found;
  if (inPlace !== undefined) {
    if (first !== undefined && found.every(({ labels }) => labels[folderLabel] === inPlace)) return;
    throw new Error(
      `no Compose project ${project} that lies in ${inPlace} runs on this host, and an adopted service is only where its project ran before: take the host out of \`hosts\`, or make another service, without \`folder\`, for it`,
    );
  }
  if (first !== undefined)
    throw new Error(
      `there is a Compose project ${project} on this host that Reeve does not keep (${first.name}): \`reeve adopt\` takes it over; or remove it, or give the service another \`project\``,
    );
}

/** What becomes of the containers of a project when Compose brings these files up. */
export interface Change {
  readonly container: string;
  readonly service: string;
  readonly does: "stays" | "starts" | "anew" | "begins" | "goes";
}

type Files = Pick<ServiceOrder, "project" | "compose" | "environment"> & { readonly folder: string };

/** The services of a project whose containers Compose would leave as they are. */
export async function agreeing(
  engine: Engine,
  compose: Compose,
  spec: ServiceOrder,
  stage: string,
  plain: Expectations,
  signal: AbortSignal,
): Promise<Adopted> {
  const containers = await engine.containers(spec.project);
  const files: Files = { ...spec, folder: spec.folder ?? "" };
  const changes = await rehearse(compose, files, stage, containers, signal);
  const names = new Set(
    changes.filter(({ does }) => does === "stays" || does === "starts").map(({ container }) => container),
  );
  return Object.fromEntries(
    Object.entries(plain).flatMap(([name, { config }]) => {
      const there = containers.filter(({ service, oneoff }) => service === name && !oneoff);
      const [first] = there;
      return first !== undefined && there.every((one) => names.has(one.name))
        ? [[name, { config, hash: first.configHash }]]
        : [];
    }),
  );
}

/** Lets Compose say what it would do. Nothing is done. */
export async function rehearse(
  compose: Compose,
  { project, folder, compose: names, environment }: Files,
  files: string,
  containers: readonly Container[],
  signal: AbortSignal,
): Promise<Change[]> {
  const args = [
    ...["-p", project, "--project-directory", folder],
    ...names.flatMap((name) => ["-f", join(files, name)]),
  ];
  const ours = containers.filter(({ oneoff }) => !oneoff);
  const call = { env: environment, signal };
  if ((await compose.which())?.major === 1) {
    const hashes = await compose.run({ ...call, args: [...args, "config", "--hash", "*"] });
    return byHash(new Map(hashes.split("\n").map((line) => line.split(" ") as [string, string])), ours);
  }
  let said = "";
  const say = (text: string) => {
    said += `${text}\n`;
  };
  const up = ["up", "-d", "--remove-orphans", "--no-build"];
  await compose.run({ ...call, args: ["--dry-run", ...args, ...up], say });
  return byWords(said, ours);
}

function byHash(hashes: ReadonlyMap<string, string>, containers: readonly Container[]): Change[] {
  return containers.map((one) => {
    const hash = hashes.get(one.service);
    const same = one.state === "running" ? "stays" : "starts";
    const does = hash === undefined ? "goes" : hash === one.configHash ? same : "anew";
    return { container: one.name, service: one.service, does };
  });
}

/** What Compose says of a container in a dry run, the word that decides first. */
const meanings = [
  [/^Recreate/, "anew"],
  [/^(Removed|Stopped)/, "goes"],
  [/^Running/, "stays"],
  [/^(Started|Starting|Created)/, "starts"],
] as const;

function byWords(said: string, containers: readonly Container[]): Change[] {
  const words = new Map<string, string[]>();
  for (const [, name = "", word = ""] of said.matchAll(/Container (\S+)\s+(\S+)/g))
    words.set(name, [...(words.get(name) ?? []), word]);
  const known = containers.map(({ name, service }): Change => {
    const heard = words.get(name) ?? [];
    const meaning = meanings.find(([word]) => heard.some((one) => word.test(one)));
    return { container: name, service, does: meaning?.[1] ?? "anew" };
  });
  const names = new Set(containers.map(({ name }) => name));
  const fresh = [...words.keys()].filter((name) => !names.has(name) && !/^[0-9a-f]{12}_/.test(name));
  return [...known, ...fresh.map((container): Change => ({ container, service: "", does: "begins" }))];
}

/** What ran before Reeve counts for as long as its part of the configuration is the one of then. */
export function withAdopted(plain: Expectations, found: Adopted): Expectations {
  return Object.fromEntries(
    Object.entries(plain).map(([name, one]) => {
      const before = found[name];
      return [name, before?.config === one.config ? { ...one, adopted: before.hash } : one];
    }),
  );
}

export function adoptedOf({ prepared }: Wanted): Adopted {
  return Object.fromEntries(
    Object.entries(prepared as unknown as Expectations).flatMap(([name, { config, adopted }]) =>
      adopted === undefined ? [] : [[name, { config, hash: adopted }]],
    ),
  );
}
