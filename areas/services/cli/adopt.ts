import { Host } from "@reeve/hosts/kinds";
import { type Client, nearest } from "@reeve/sdk";
import { type Desk, defineVerb, flag, text, Usage } from "@reeve/sdk/cli";
import { Secret } from "@reeve/secrets/kinds";
import {
  type AdoptedEnvironment,
  adoptedService,
  changeWords,
  environmentOf,
  type FoundFiles,
  Service,
} from "../kinds/index.ts";

export const adopt = defineVerb()({
  name: "adopt",
  group: "change",
  summary:
    "Make a service of a Compose project that runs on a host already; without a project, show those there are",
  args: [{ name: "HOST" }, { name: "PROJECT", optional: true }],
  options: {
    name: text("NAME", "What the service is called; as the project is when left out"),
    secret: text("NAME", "A Secret to take the values from that it has of those in the file .env"),
    dryRun: flag("Show what would change, do nothing"),
    yes: flag("Do not ask, also when something in the files looks like a secret", "y"),
    noWait: flag("Return at once, with the id of the run"),
  },
  example: "reeve adopt web-1\nreeve adopt web-1 shop --dry-run\nreeve adopt web-1 shop --secret shop",
  async run(desk, { args: [word = "", project], options }) {
    const client = await desk.client();
    const host = await nearest(client, Host, await desk.target(Host.plural, word));
    const { scope, name } = host.metadata;
    if (project === undefined) return showFound(desk, client, scope, name);
    const found = await client.hostEngine.project(scope, name, project);
    const at = { scope: await desk.scopeFor(Service), name: options.name ?? project.replaceAll("_", "-") };
    const environment =
      options.secret === undefined ? {} : await fromSecret(client, at.scope, options.secret, found);
    const service = adoptedService(at, name, found, environment);
    if (options.dryRun && (await desk.data({ ...found, service }))) return 0;
    tell(desk, found, environment);
    if (found.troubles.length > 0) {
      for (const trouble of found.troubles) desk.out(`cannot be adopted as it is: ${trouble}\n`);
      return 1;
    }
    if (options.dryRun) {
      desk.say("nothing was done; without --dry-run it is");
      return 0;
    }
    const sure = options.yes || (await desk.ask.confirm(questionOf(found, `${at.scope}/${at.name}`)));
    if (!sure) {
      desk.say("nothing was done; --yes does it without asking");
      return 1;
    }
    const services = client.kind(Service);
    await services.apply(service as never, { ifAbsent: true });
    const { run } = (await services.act(at.scope, at.name, "deploy", {})) as { run: string };
    if (!options.noWait) return desk.follow(run);
    if (!(await desk.data({ run }))) desk.out(`${run}\n`);
    return 0;
  },
});

async function showFound(desk: Desk, client: Client, scope: string, host: string): Promise<number> {
  const found = await client.hostEngine.projects(scope, host);
  if (await desk.data(found)) return 0;
  if (found.length === 0) desk.say(`every Compose project on ${host} is a service's, or there is none`);
  else
    desk.table(
      ["Project", "Folder", "Containers"],
      found.map(({ project, folder, containers }) => [
        project,
        folder,
        containers.map((one) => `${one.name} (${one.state})`).join(", "),
      ]),
    );
  return 0;
}

async function fromSecret(
  client: Client,
  scope: string,
  name: string,
  found: FoundFiles,
): Promise<AdoptedEnvironment> {
  const { status } = await nearest(client, Secret, { scope, name });
  const environment = environmentOf(found, { name, keys: status.keys ?? [] });
  if (Object.keys(environment).length > 0) return environment;
  throw new Usage(
    `the Secret ${name} has no key of what is in ${found.folder}/.env`,
    `on the host: reeve secret set ${name} --env-file ${found.folder}/.env`,
  );
}

function tell(
  desk: Desk,
  { folder, compose, variables, clear, changes }: FoundFiles,
  environment: AdoptedEnvironment,
): void {
  desk.out(`${folder}: ${compose.join(", ")}; all else in the folder stays as it is\n`);
  for (const { container, does } of changes) desk.out(`${container} ${changeWords[does]}\n`);
  const secret = Object.keys(environment);
  const stay = variables.filter((name) => !secret.includes(name));
  if (secret.length > 0) desk.out(`${secret.join(", ")} come from the Secret, whatever .env says\n`);
  if (stay.length > 0)
    desk.out(
      `.env stays on the host and is read there (${stay.join(", ")}); to keep these in Reeve, \`reeve secret set NAME --env-file .env\` there, and adopt with \`--secret NAME\`\n`,
    );
  for (const place of clear)
    desk.out(`${place} looks like a secret: everybody who may read the service will see it\n`);
}

function questionOf({ clear, changes }: FoundFiles, name: string): string {
  const anew = changes.filter(({ does }) => does !== "stays").length;
  const cost = anew === 0 ? "nothing that runs changes" : `${anew} containers change`;
  return `Make it the service ${name}? ${cost}${clear.length > 0 ? ", and what looks like a secret is recorded in clear" : ""}.`;
}
