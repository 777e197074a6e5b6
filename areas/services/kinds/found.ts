/** A Compose project on a host that no service keeps. */
export interface FoundProject {
  readonly project: string;
  /** The folder in which it was brought up. */
  readonly folder: string;
  readonly containers: readonly { readonly name: string; readonly image: string; readonly state: string }[];
}

/** The same with what adopting it needs, and would do. */
export interface FoundFiles extends FoundProject {
  /** Its Compose files, in order, by their path below the folder. */
  readonly compose: readonly string[];
  readonly files: Readonly<Record<string, string>>;
  /** The names that stand in the file .env beside them; their values stay on the host. */
  readonly variables: readonly string[];
  /** Where something stands in the files that looks like a secret: `compose.yaml:7`. */
  readonly clear: readonly string[];
  /** What becomes of each container. */
  readonly changes: readonly {
    readonly container: string;
    readonly service: string;
    readonly does: "stays" | "starts" | "anew" | "begins" | "goes";
  }[];
}

/** What becomes of a container, in words that follow its name. */
export const changeWords = {
  stays: "goes on as it is",
  starts: "is started",
  anew: "is made anew, because its configuration differs",
  begins: "is made",
  goes: "goes, because the files do not name it",
} as const satisfies Record<FoundFiles["changes"][number]["does"], string>;

/** The service that keeps a found project: in its own folder, by its own name, so that nothing has to move. */
export function adoptedService(
  at: { readonly scope: string; readonly name: string },
  host: string,
  { project, folder, compose, files }: FoundFiles,
  environment: AdoptedEnvironment = {},
) {
  return {
    apiVersion: "reeve/v1",
    kind: "Service",
    metadata: { ...at },
    spec: {
      description: `Adopted from ${folder} on ${host}.`,
      ...{ project, folder, compose: [...compose], files: { ...files } },
      ...(Object.keys(environment).length > 0 && { environment: { ...environment } }),
      hosts: { names: [host] },
    },
  };
}

export type AdoptedEnvironment = Readonly<
  Record<string, { readonly secretRef: { readonly name: string; readonly key: string } }>
>;

/** What stands in `.env` and is a key of this Secret as well is taken from there. What is for Compose itself is not. */
export function environmentOf(
  { variables }: Pick<FoundFiles, "variables">,
  secret: { readonly name: string; readonly keys: readonly string[] },
): AdoptedEnvironment {
  const names = variables.filter((name) => secret.keys.includes(name) && !/^(COMPOSE|DOCKER)_/.test(name));
  return Object.fromEntries(names.map((key) => [key, { secretRef: { name: secret.name, key } }]));
}
