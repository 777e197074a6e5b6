import { gunzipSync } from "node:zlib";
import { apiVersion, Fault, isObject, type Scope } from "@reeve/model";
import { readDocuments, type YamlDocument } from "@reeve/model/yaml";
import {
  type FetchedFile,
  fileAnnotation,
  isScript,
  sourceLabel,
  workflowOfScript,
} from "../../kinds/index.ts";

/** A workflow as a file asks for it, or why the file asks for none. */
export type Found =
  | { readonly path: string; readonly manifest: Manifest; readonly place: (pointer: string) => string }
  | { readonly path: string; readonly error: string };

interface Manifest {
  readonly metadata: { readonly name: string };
}

const unpackedBytes = 64 * 1024 * 1024;

/** What the agent sent; it was checked there, and is not believed here. */
export function unpack(packed: unknown): FetchedFile[] {
  const bytes = gunzipSync(Buffer.from(String(packed), "base64"), { maxOutputLength: unpackedBytes });
  return JSON.parse(bytes.toString("utf8")) as FetchedFile[];
}

/** The workflows in a file, made ready for the scope and with the marks of the Source. One that is wrong spoils only itself. */
export function workflowsIn(file: FetchedFile, source: { scope: Scope; name: string }): Found[] {
  const { path } = file;
  try {
    return documentsOf(file).map((document) => prepared(document, path, source));
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return [{ path, error: error.message }];
  }
}

function documentsOf({ path, text, manifests, error }: FetchedFile): YamlDocument[] {
  if (error !== undefined) throw new Fault("invalid", `${path}: ${error}`);
  const inFile = (value: unknown): YamlDocument => ({ value, place: () => path });
  if (manifests !== undefined) return manifests.map(inFile);
  if (isScript(path)) return [inFile(workflowOfScript(path, text ?? ""))];
  const found = readDocuments(text ?? "", path);
  // What else a file holds is not a Source's to bring, save where the name says that it is a workflow.
  if (!path.includes(".workflow."))
    return found.filter(({ value }) => isObject(value) && value.kind === "Workflow");
  if (found.length === 0) throw new Fault("invalid", `${path}: holds no workflow`);
  return found;
}

function prepared(
  { value, place }: YamlDocument,
  path: string,
  source: { scope: Scope; name: string },
): Found {
  const wrong = (pointer: string, why: string) => ({ path, error: `${place(pointer)}: ${why}` });
  if (!isObject(value) || value.kind !== "Workflow") return wrong("/kind", "a Source brings workflows only");
  if (value.apiVersion !== apiVersion) return wrong("/apiVersion", `apiVersion must be ${apiVersion}`);
  const { metadata, spec } = value;
  if (!isObject(metadata) || typeof metadata.name !== "string")
    return wrong("/metadata", "metadata.name is missing");
  if (metadata.scope !== undefined && metadata.scope !== source.scope)
    return wrong(
      "/metadata/scope",
      `it is meant for ${metadata.scope || "the installation"}, and this Source is of ${source.scope || "the installation"}; leave the scope out`,
    );
  const { labels, annotations, paused } = metadata;
  const marked = {
    name: metadata.name,
    scope: source.scope,
    labels: { ...(isObject(labels) ? labels : {}), [sourceLabel]: source.name },
    annotations: { ...(isObject(annotations) ? annotations : {}), [fileAnnotation]: path },
    ...(paused === undefined ? {} : { paused }),
  };
  return {
    path,
    place,
    manifest: { apiVersion, kind: "Workflow", metadata: marked, spec } as unknown as Manifest,
  };
}

/** A refusal with the lines and columns of what is wrong. */
export function wordsOf(error: unknown, place: (pointer: string) => string): string {
  if (!(error instanceof Fault)) throw error;
  const placed = error.errors.map(({ pointer, message }) => `${place(pointer)}: ${pointer}: ${message}`);
  return placed.length > 0 ? placed.join("; ") : `${place("")}: ${error.message}`;
}
