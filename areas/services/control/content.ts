import { createHash } from "node:crypto";
import { Fault } from "@reeve/model";
import type { Sql, Stored } from "@reeve/store";
import { type Bundle, packBundle } from "../kinds/bundle.ts";
import { composeErrors } from "../kinds/compose-file.ts";
import type { ServiceSpec } from "../kinds/index.ts";
import { readFolder } from "../store/index.ts";
import { nearest } from "./repository/access.ts";

/** The files of a service as they would be deployed now. */
export interface Content {
  readonly files: Bundle;
  /** Of the repository that they are from. */
  readonly revision?: string;
}

export interface PackedContent {
  readonly digest: string;
  readonly content: string;
}

export function packContent({ files }: Content): PackedContent {
  const content = packBundle(files);
  return { digest: createHash("sha256").update(content).digest("hex"), content };
}

/** A Fault says why there are none that could be deployed, with file and line where it is a file's fault. */
export async function contentOf(sql: Sql, { metadata, spec }: Stored): Promise<Content> {
  const given = spec as unknown as ServiceSpec;
  const content = await readContent(sql, metadata.scope, given);
  const [first] = composeErrors({ ...given, files: content.files });
  if (first === undefined) return content;
  const at = content.revision === undefined ? "" : ` (revision ${content.revision})`;
  throw new Fault("invalid", `${first.message}${at}`, { next: "correct the file, and push it" });
}

async function readContent(sql: Sql, scope: string, { files, source }: ServiceSpec): Promise<Content> {
  if (source === undefined) return { files: files ?? {} };
  const { repository: name, folder = "" } = source;
  const repository = await nearest(sql, "Repository", scope, name);
  if (repository === undefined)
    throw new Fault("precondition", `there is no Repository ${name} in ${scope} or above`, {
      next: "make the Repository",
    });
  const row = await readFolder(sql, repository.metadata.uid, folder);
  if (row === undefined)
    throw new Fault("precondition", `the Repository ${name} has not been read yet`, {
      next: `\`reeve describe repository/${name}\` says why`,
    });
  const { revision, trouble, content } = row;
  if (trouble !== "") throw new Fault("precondition", `${trouble} (revision ${revision})`);
  return { files: JSON.parse(content) as Bundle, revision };
}

/** What a service's status says of the files that its latest run brings. */
export function begunBy(status: Stored["status"], content: Content): Stored["status"] {
  if (content.revision === undefined) return status;
  const { digest } = packContent(content);
  return { ...status, source: { revision: content.revision, digest, begun: digest } };
}
