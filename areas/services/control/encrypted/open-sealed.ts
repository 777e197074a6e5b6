import type { OpenSecrets, Tools } from "@reeve/control";
import { Fault, type JsonObject } from "@reeve/model";
import type { Stored } from "@reeve/store";
import type { Bundle } from "../../kinds/bundle.ts";
import type { RepositorySpec } from "../../kinds/index.ts";
import { readIdentities } from "./age.ts";
import { encryptedIn, openFiles } from "./open-files.ts";

/** What the encrypted ones of these files hold, by the identity of the repository that they are from. */
export type OpenSealed = (tools: Tools, files: Bundle, repository: Stored) => Promise<Bundle>;

export function sealedOpener(openSecrets: OpenSecrets): OpenSealed {
  return async (tools, files, { metadata, spec }) => {
    const { decryption } = spec as unknown as RepositorySpec;
    if (decryption === undefined)
      throw new Fault("precondition", `the Repository ${metadata.name} has no \`decryption\` any more`, {
        next: "say in the Repository which Secret holds the age identity",
      });
    const { value } = await openSecrets(tools, metadata.scope, decryption as JsonObject);
    return openFiles(files, encryptedIn(files), readIdentities(value.identity as string));
  };
}
