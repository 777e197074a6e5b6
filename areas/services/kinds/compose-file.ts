import { escapePointer, Fault, type FieldError, isObject } from "@reeve/model";
import { readDocuments, type YamlDocument } from "@reeve/model/yaml";
import type { Bundle } from "./bundle.ts";
import type { ServiceSpec } from "./service.ts";

/** What Compose would read: the files, wherever they come from, and what the spec says of them. */
export type ComposeProject = Pick<ServiceSpec, "compose" | "environment"> & { readonly files: Bundle };

/** The names that `docker compose` itself looks for, in its order. */
const usualNames = ["compose.yaml", "compose.yml", "docker-compose.yaml", "docker-compose.yml"];

/** Labels of containers that begin so are the keeper's: it knows its own by them. */
const reservedLabels = "reeve.";

/** The Compose files of a service, in order. */
export function composeFilesOf({
  files,
  compose,
}: Pick<ComposeProject, "files" | "compose">): readonly string[] {
  if (compose !== undefined) return compose;
  const usual = usualNames.find((name) => Object.hasOwn(files, name));
  return usual === undefined ? [] : [usual];
}

/** What is wrong with a service before any agent has seen it, each with file and line. Compose itself has its word on the host. */
export function composeErrors(spec: ComposeProject): FieldError[] {
  const names = composeFilesOf(spec);
  if (names.length === 0)
    return [
      {
        pointer: "/spec/files",
        message: `none of them is called ${usualNames.join(", ")}: name it in \`compose\``,
      },
    ];
  const missing = names.findIndex((name) => !Object.hasOwn(spec.files, name));
  if (missing >= 0)
    return [{ pointer: `/spec/compose/${missing}`, message: `${names[missing]} is not among the files` }];
  const errors = [...secretsInFiles(spec), ...strangeReferences(spec)];
  let services = 0;
  for (const name of names) {
    const pointer = `/spec/files/${escapePointer(name)}`;
    try {
      const document = documentOf(spec.files[name] ?? "", name);
      services += Object.keys(servicesOf(document)).length;
      errors.push(...fileErrors(document).map((message) => ({ pointer, message })));
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      errors.push({ pointer, message: error.message });
    }
  }
  if (services === 0 && errors.length === 0)
    errors.push({ pointer: "/spec/files", message: `${names.join(", ")}: there is no service in it` });
  return errors;
}

/** Files are shown and kept as they are: what must not be read has no place in them. */
function secretsInFiles({ files }: ComposeProject): FieldError[] {
  return Object.entries(files).flatMap(([name, text]) => {
    const line = text.split("\n").findIndex((one) => /\$\{\{\s*(secrets|connections)\b/.test(one));
    return line < 0
      ? []
      : [
          {
            pointer: `/spec/files/${escapePointer(name)}`,
            message: `${name}:${line + 1}: secrets go into \`environment\`, and the file says \${NAME}`,
          },
        ];
  });
}

/** A run would take what stands in `${{ }}` for an expression. */
export function strangeReferences({ environment = {} }: Pick<ServiceSpec, "environment">): FieldError[] {
  return Object.entries(environment).flatMap(([name, value]) =>
    typeof value === "string" && /\$\{\{(?!\s*(secrets|connections)\.)/.test(value)
      ? [
          {
            pointer: `/spec/environment/${escapePointer(name)}`,
            message:
              "only ${{ secrets.NAME.KEY }} and ${{ connections.NAME.FIELD }} stand for something here",
          },
        ]
      : [],
  );
}

function documentOf(text: string, name: string): YamlDocument {
  const [document, more] = readDocuments(text, name);
  if (document === undefined || !isObject(document.value))
    throw new Fault("invalid", `${name}:1:1: a Compose file is a mapping with \`services\``);
  if (more !== undefined) throw new Fault("invalid", `${more.place("")}: a Compose file is one document`);
  const { services } = document.value;
  if (services !== undefined && !isObject(services))
    throw new Fault("invalid", `${document.place("/services")}: services is a mapping of names`);
  return document;
}

function servicesOf({ value }: YamlDocument): Record<string, unknown> {
  return ((value as { services?: Record<string, unknown> }).services ?? {}) as Record<string, unknown>;
}

function fileErrors(document: YamlDocument): string[] {
  return Object.entries(servicesOf(document)).flatMap(([name, service]) => {
    const at = `/services/${escapePointer(name)}`;
    if (!isObject(service)) return [`${document.place(at)}: ${name} is a mapping`];
    const found: string[] = [];
    if (service.build !== undefined)
      found.push(`${document.place(`${at}/build`)}: images are not built on hosts: name one in \`image\``);
    const reserved = labelsOf(service.labels).find((label) => label.startsWith(reservedLabels));
    if (reserved !== undefined)
      found.push(
        `${document.place(`${at}/labels`)}: labels that begin with ${reservedLabels} are Reeve's own`,
      );
    return found;
  });
}

/** Compose takes a mapping or a list of `key=value`. */
function labelsOf(labels: unknown): string[] {
  if (Array.isArray(labels)) return labels.map((one) => String(one).split("=")[0] ?? "");
  return isObject(labels) ? Object.keys(labels) : [];
}
