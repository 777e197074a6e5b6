import {
  baseStatus,
  defineKind,
  duration,
  environmentName,
  labelSelector,
  nameOf,
  no,
  type Resource,
  type StatusOf,
  type Verdict,
  yes,
} from "@reeve/model";
import { gitFolder, secretRef } from "@reeve/secrets/kinds";
import { z } from "zod";
import { files, path } from "./files.ts";
import { instance } from "./instance.ts";
import { serviceTroubles } from "./troubles.ts";

export const serviceHosts = z
  .strictObject({
    names: z.array(nameOf("Host")).max(100).optional(),
    labels: labelSelector.optional().describe("All hosts with these labels: `zone=a,disk!=hdd`."),
    count: z
      .int()
      .min(1)
      .max(100)
      .optional()
      .describe(
        "Of the hosts with the labels only so many: where it runs already, then those with most memory free.",
      ),
  })
  .refine(({ labels, count }) => count === undefined || labels !== undefined, {
    path: ["count"],
    error: "it chooses among the hosts with `labels`: say which",
  })
  .refine(({ names, labels }) => (names?.length ?? 0) > 0 || labels !== undefined, {
    error: "name hosts, or labels that they have",
  });

const value = z.union([z.string(), z.number().transform(String), z.boolean().transform(String), secretRef]);

const source = z.strictObject({
  repository: nameOf("Repository").describe("A Repository of this scope or above."),
  folder: gitFolder.optional().describe("The service's folder in it; all of it when left out."),
  autoDeploy: z
    .boolean()
    .default(false)
    .describe("Deploys by itself when the folder has changed; otherwise somebody has to."),
});

export const Service = defineKind({
  name: "Service",
  plural: "services",
  shortNames: ["svc"],
  summary: "Docker Compose files on one or many hosts, deployed by a run and kept true by the agents.",
  levels: ["organization", "project", "workspace"],
  finalizers: ["reeve/instances"],
  troubles: serviceTroubles,
  reads: ["logs"],
  spec: z
    .strictObject({
      description: z.string().max(2000).optional(),
      files: files.optional().describe("The Compose files and what lies beside them, by their path."),
      source: source.optional().describe("The folder of a repository that holds them, instead of `files`."),
      compose: z
        .array(path)
        .min(1)
        .max(20)
        .optional()
        .describe("Which of the files Compose reads, in order; compose.yaml or its like when left out."),
      project: z
        .string()
        .regex(/^[a-z0-9][a-z0-9_-]{0,62}$/, {
          error: "use lower-case letters, digits, - and _, beginning with a letter or digit",
        })
        .optional()
        .describe("The name of the Compose project on the host; the service's own when left out."),
      folder: z
        .string()
        .max(300)
        .regex(/^\/(?!.*(^|\/)\.{1,2}(\/|$))[^\0\n:{}]+$/, { error: "write the absolute path of a folder" })
        .optional()
        .describe(
          "Of a project that was adopted: the folder on its host that it lies in, and stays in. The agent's own when left out.",
        ),
      environment: z
        .record(environmentName, value)
        .optional()
        .describe("What ${NAME} in the Compose files stands for. Secrets are referred to here."),
      registries: z
        .array(nameOf("Connection"))
        .max(20)
        .optional()
        .describe(
          "Connections of the type registry, of this scope or above: images of these registries are pulled with their credentials.",
        ),
      hosts: serviceHosts.describe("Where it runs: on each of these."),
      state: z.enum(["running", "stopped"]).default("running"),
      health: z
        .strictObject({
          timeout: duration
            .default("2m")
            .describe(
              "How long new containers may take to become healthy before the generation before is kept again.",
            ),
        })
        .default({ timeout: "2m" }),
      rollout: z
        .strictObject({
          parallel: z
            .int()
            .min(1)
            .max(100)
            .default(1)
            .describe("How many hosts are changed at once; the next begin when all of these are healthy."),
        })
        .default({ parallel: 1 }),
    })
    .refine((one) => (one.files === undefined) !== (one.source === undefined), {
      error: "give either files or source",
    }),
  status: baseStatus.extend({
    run: z.string().optional().describe("The latest run that changes what the hosts keep."),
    owing: z
      .string()
      .optional()
      .describe("The run that removes it from a host that was silent when it left."),
    deployed: z.number().optional().describe("The generation that the latest run brought to all hosts."),
    source: z
      .strictObject({
        revision: z.string().describe("The newest at which its folder has changed."),
        digest: z.string().describe("Of the files by then."),
        begun: z.string().optional().describe("Of the files that the latest run brings."),
      })
      .optional(),
    instances: z.array(instance).optional(),
  }),
  columns: [
    { title: "State", value: ({ spec, status }) => serviceStateOf(spec.state, status.instances) },
    { title: "Hosts", value: ({ status }) => status.instances?.map(({ host }) => host).join(", ") },
    {
      title: "Deployed",
      value: ({ metadata, status }) => deployedOf(metadata.generation, status.deployed),
    },
    { title: "Revision", value: ({ status }) => revisionOf(status.source, status.instances) },
    { title: "Project", wide: true, value: ({ spec, metadata }) => spec.project ?? metadata.name },
    { title: "Run", wide: true, value: ({ status }) => status.run },
  ],
  actions: {
    exec: {
      summary: "Run a command in a container: gives a ticket with which a terminal is opened, once.",
      input: z.strictObject({
        host: z.string().max(100).optional().describe("Where it is on several; the first when left out."),
        container: z
          .string()
          .max(200)
          .optional()
          .describe("Its name, or that of a service of the Compose file; the first that runs when left out."),
        command: z.array(z.string().max(10_000)).min(1).max(200),
        tty: z.boolean().default(true).describe("With a terminal, for people; without, for programs."),
      }),
      output: z.strictObject({
        ticket: z.string(),
        host: z.string(),
        recorded: z.boolean().describe("Whether what it shows is recorded."),
      }),
      secret: true,
      can: () => yes,
    },
    deploy: {
      summary: "Bring this generation to all its hosts, some after the others.",
      input: z.strictObject({}),
      output: z.strictObject({ run: z.string() }),
      can: canChange,
    },
    stop: {
      summary: "Stop it on all its hosts; it stays stopped. Volumes and data stay.",
      input: z.strictObject({}),
      output: z.strictObject({ run: z.string() }),
      can: (service) =>
        service.spec.state === "stopped" ? no("it is to be stopped already") : canChange(service),
    },
    start: {
      summary: "Start it again on all its hosts.",
      input: z.strictObject({}),
      output: z.strictObject({ run: z.string() }),
      can: (service) =>
        service.spec.state === "running" ? no("it is to be running already") : canChange(service),
    },
    restart: {
      summary: "Restart its containers, some hosts after the others, each when those before are healthy.",
      input: z.strictObject({}),
      output: z.strictObject({ run: z.string() }),
      can: canAct,
    },
    pull: {
      summary: "Pull its images anew on its hosts, and replace the containers whose image is another by now.",
      input: z.strictObject({}),
      output: z.strictObject({ run: z.string() }),
      can: canAct,
    },
    container: {
      summary:
        "Stop, start or restart a single container. One that was stopped stays so, and is shown as such.",
      input: z.strictObject({
        do: z.enum(["stop", "start", "restart"]),
        container: z.string().min(1).max(255).describe("Its name, as `reeve ps` shows it."),
        host: nameOf("Host")
          .optional()
          .describe("Where; needed only when several hosts have such a container."),
      }),
      output: z.strictObject({ run: z.string() }),
      can: canAct,
    },
  },
  example: `apiVersion: reeve/v1
kind: Service
metadata:
  scope: acme/shop
  name: web
spec:
  hosts:
    names: [web-1]
  environment:
    GREETING: hello
  files:
    compose.yaml: |
      services:
        web:
          image: nginx:1.29
          ports: ["8080:80"]
          environment:
            GREETING: \${GREETING}
          volumes: ["./data:/data"]
`,
});

function canChange({ metadata }: Pick<Resource, "metadata">): Verdict {
  if (metadata.deletingAt !== undefined) return no("the service is being deleted");
  return metadata.paused ? no("the service is paused; resume it first") : yes;
}

function canAct(
  service: Pick<Resource, "metadata"> & { status: { instances?: unknown[] | undefined } },
): Verdict {
  return (service.status.instances ?? []).length === 0 ? no("it is deployed nowhere") : canChange(service);
}

/** The worst of what is seen; a service that is nowhere is not deployed. */
export function serviceStateOf(wanted: string, instances: readonly { state: string }[] | undefined): string {
  if (instances === undefined || instances.length === 0) return "not deployed";
  const worst = ["unknown", "degraded", "starting"].find((state) =>
    instances.some((one) => one.state === state),
  );
  return worst ?? (instances.every(({ state }) => state === wanted) ? wanted : "changing");
}

function deployedOf(generation: number, deployed: number | undefined): string | undefined {
  if (deployed === undefined) return undefined;
  return deployed === generation ? `${deployed}` : `${deployed}, not yet ${generation}`;
}

/** Which revision runs, and whether a newer one is there. */
function revisionOf(
  source: { revision: string; digest: string } | undefined,
  instances: readonly { revision?: string | undefined; bundle?: string | undefined }[] = [],
): string | undefined {
  const shown = [...new Set(instances.flatMap(({ revision }) => revision?.slice(0, 10) ?? []))].join(", ");
  if (source === undefined) return shown || undefined;
  const same = instances.length > 0 && instances.every(({ bundle }) => bundle === source.digest);
  return same ? shown : `${shown || "none"}, not yet ${source.revision.slice(0, 10)}`;
}

export type ServiceSpec = z.infer<typeof Service.spec>;
export type ServiceStatus = StatusOf<typeof Service>;
