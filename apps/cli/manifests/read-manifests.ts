import { apiVersion, Fault, type FieldError, isObject, type JsonObject, type Scope } from "@reeve/model";
import { readDocuments, type YamlDocument } from "@reeve/model/yaml";
import type { ManifestFile } from "./collect-files.ts";

/** A manifest as it was written; a missing scope is still missing. */
export interface WrittenManifest {
  readonly manifest: JsonObject & {
    readonly kind: string;
    readonly metadata: JsonObject & { readonly name: string; readonly scope?: Scope };
  };
  /** `team.yaml:12:3` of a JSON pointer into it. */
  place(pointer: string): string;
}

/**
 * Reads all manifests or none. Syntax and the outer shape are checked here, because a half-readable set must not be half
 * applied; what the fields mean is the server's to judge. Only files of archives are each for themselves, where `spoilt` is
 * there to hear what is wrong with them.
 */
export function readManifests(files: readonly ManifestFile[], spoilt?: FieldError[]): WrittenManifest[] {
  const errors: FieldError[] = [];
  const found = files.flatMap((file) => {
    const read = readFile(file);
    const wrong = [...read.errors, ...read.documents.flatMap(shapeErrors)];
    if (wrong.length === 0) return read.documents;
    (file.apart === undefined ? errors : (spoilt ?? errors)).push(...wrong);
    return [];
  });
  const [first] = errors;
  if (first !== undefined) {
    const message =
      errors.length === 1 ? `${first.pointer}: ${first.message}` : `${errors.length} mistakes in the files`;
    throw new Fault("invalid", message, { errors, next: "correct the files; nothing was sent" });
  }
  if (found.length === 0 && !spoilt?.length)
    throw new Fault("invalid", `no manifests in ${files.map((file) => file.source).join(", ")}`, {
      next: "reeve explain KIND shows one",
    });
  return found.map(({ value, place }) => ({ manifest: value as WrittenManifest["manifest"], place }));
}

function readFile(file: ManifestFile): { documents: YamlDocument[]; errors: FieldError[] } {
  const { source, text, apart } = file;
  if (apart?.error !== undefined)
    return { documents: [], errors: [{ pointer: source, message: apart.error }] };
  try {
    return { documents: (file.documents ?? readDocuments(text, source)).flatMap(unpackList), errors: [] };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const [pointer = "", message = ""] = splitPlace(error.message, source);
    return { documents: [], errors: [{ pointer, message }] };
  }
}

/** `get -o json` prints a List; each of its items counts as a document of its own. */
function unpackList(document: YamlDocument): YamlDocument[] {
  const { value, place } = document;
  if (!isObject(value) || value.kind !== "List" || !Array.isArray(value.items)) return [document];
  return value.items.map((item, index) => ({
    value: item,
    place: (pointer: string) => place(`/items/${index}${pointer}`),
  }));
}

function shapeErrors({ value, place }: YamlDocument): FieldError[] {
  const wrong = (pointer: string, message: string) => [{ pointer: place(pointer), message }];
  if (!isObject(value)) return wrong("", "expected a manifest with apiVersion, kind, metadata and spec");
  if (value.apiVersion !== apiVersion) return wrong("/apiVersion", `apiVersion must be ${apiVersion}`);
  if (typeof value.kind !== "string") return wrong("/kind", "kind is missing");
  if (!isObject(value.metadata)) return wrong("/metadata", "metadata is missing");
  if (typeof value.metadata.name !== "string") return wrong("/metadata/name", "metadata.name must be text");
  const { scope } = value.metadata;
  if (scope !== undefined && typeof scope !== "string")
    return wrong("/metadata/scope", "metadata.scope must be text");
  return [];
}

function splitPlace(message: string, source: string): [string, string] {
  const at = message.indexOf(": ", source.length);
  return message.startsWith(source) && at > 0
    ? [message.slice(0, at), message.slice(at + 2)]
    : [source, message];
}
