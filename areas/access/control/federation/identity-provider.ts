import { type ActionHandler, type Admission, type Controller, notFound, type Tools } from "@reeve/control";
import { invalidField } from "@reeve/model";
import { readResource, type Stored } from "@reeve/store";
import type { IdentityProviderSpec } from "../../kinds/index.ts";
import { readProviderSecret, writeProviderSecret } from "../../store/index.ts";

export type Provider = Stored & { readonly spec: IdentityProviderSpec };

export const identityProviderController: Controller = {
  kind: "IdentityProvider",
  admit: sameIssuer,
  actions: { "set-secret": (request, tools) => setSecret(request, tools) },
};

/** People are known by the provider and its `sub`: under another issuer, the same `sub` is somebody else. */
function sameIssuer({ before, after }: Admission): Stored {
  if (before !== undefined && before.spec.issuer !== after.spec.issuer)
    throw invalidField(
      "/spec/issuer",
      "it cannot be changed: its people would become others",
      "make another IdentityProvider, and delete this one when nobody uses it",
    );
  return after;
}

const setSecret: ActionHandler = async ({ resource, input }, tools) => {
  const { secret } = input as { secret: string };
  const { uid } = resource.metadata;
  const sealed = await tools.keys.seal("", about(uid), Buffer.from(secret));
  return {
    change: (now) => ({ ...now, status: { ...now.status, secretSetAt: new Date().toISOString() } }),
    also: (sql) => writeProviderSecret(sql, uid, sealed),
    output: () => ({}),
  };
};

export async function clientSecret(tools: Tools, providerUid: string): Promise<string | undefined> {
  const sealed = await readProviderSecret(tools.database, providerUid);
  return sealed && Buffer.from(await tools.keys.open(about(providerUid), sealed)).toString();
}

function about(providerUid: string): string {
  return `identity-provider/${providerUid}`;
}

/** The provider to sign in with; one that is disabled is not there. */
export async function readProvider(tools: Tools, name: string): Promise<Provider> {
  const at = { kind: "IdentityProvider", scope: "", name };
  const provider = (await readResource(tools.database, at)) as Provider | undefined;
  if (provider === undefined || provider.spec.disabled || provider.metadata.deletingAt !== undefined)
    throw notFound(at);
  return provider;
}
