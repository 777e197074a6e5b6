import { createHash } from "node:crypto";
import { Fault } from "@reeve/model";
import type { Sql, Stored } from "@reeve/store";
import { type Bundle, packBundle } from "../kinds/bundle.ts";
import { composeErrors, composeFilesOf } from "../kinds/compose-file.ts";
import type { RepositorySpec, ServiceSpec } from "../kinds/index.ts";
import { readFolder } from "../store/index.ts";
import { encryptedIn } from "./encrypted/open-files.ts";
import { openedPath } from "./encrypted/which.ts";
import { nearest } from "./repository/access.ts";

/** The files of a service as they would be deployed now. */
export interface Content {
  readonly files: Bundle;
  /** Of the repository that they are from. */
  readonly revision?: string;
  /** What of them is opened on its way to agents, and by which repository's identity. */
  readonly sealed?: { readonly paths: readonly string[]; readonly by: Stored };
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
  const locked = composeFilesOf({ ...given, files: content.files }).find((name) =>
    content.sealed?.paths.includes(name),
  );
  const [first] =
    locked === undefined
      ? composeErrors({ ...given, files: content.files })
      : [
          {
            message: `${locked} is encrypted: a Compose file is checked and shown, so put what is secret beside it`,
          },
        ];
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
  const found = JSON.parse(content) as Bundle;
  return { files: found, revision, ...sealedIn(found, repository) };
}

/** A service that is given what it cannot read would fail later, and far away. */
function sealedIn(files: Bundle, repository: Stored): Pick<Content, "sealed"> {
  const paths = encryptedIn(files);
  const [first] = paths;
  if (first === undefined) return {};
  if ((repository.spec as unknown as RepositorySpec).decryption === undefined)
    throw new Fault("precondition", `${first} is encrypted, and the Repository has no \`decryption\``, {
      next: "say in the Repository which Secret holds the age identity",
    });
  const twice = paths.find((path) => openedPath(path) !== path && Object.hasOwn(files, openedPath(path)));
  if (twice !== undefined)
    throw new Fault(
      "precondition",
      `${twice} would be delivered as ${openedPath(twice)}, which is there already`,
      {
        next: "remove one of the two",
      },
    );
  return { sealed: { paths, by: repository } };
}

/** What a service's status says of the files that its latest run brings. */
export function begunBy(status: Stored["status"], content: Content): Stored["status"] {
  if (content.revision === undefined) return status;
  const { digest } = packContent(content);
  return { ...status, source: { revision: content.revision, digest, begun: digest } };
}
