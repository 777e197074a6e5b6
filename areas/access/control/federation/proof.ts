import { z } from "zod";
import type { IdentityProviderSpec } from "../../kinds/index.ts";
import type { Provider } from "./identity-provider.ts";

/** What a provider has said of a person, as far as we listen. */
export const proofSchema = z.strictObject({
  providerUid: z.string(),
  provider: z.string(),
  subject: z.string(),
  name: z.string().optional(),
  displayName: z.string().optional(),
  /** Only if the provider has verified it. */
  email: z.string().optional(),
  groups: z.array(z.string()),
  /** The provider has asked for a second factor. */
  second: z.boolean(),
});
export type Proof = z.infer<typeof proofSchema>;

type Claims = Readonly<Record<string, unknown>>;

const mostGroups = 1000;

/** `signed` is the ID token; `more` what the provider answered beside it, for providers that keep their tokens small. */
export function readProof({ metadata, spec }: Provider, signed: Claims, more: Claims): Proof {
  const claims = { ...more, ...signed };
  const name = line(claimAt(claims, spec.claims.name));
  const displayName = line(claims.name);
  const email = verifiedEmail(claims, spec);
  return {
    providerUid: metadata.uid,
    provider: metadata.name,
    subject: String(signed.sub),
    ...(name === undefined ? {} : { name }),
    ...(displayName === undefined ? {} : { displayName }),
    ...(email === undefined ? {} : { email }),
    groups: texts(claimAt(claims, spec.claims.groups)),
    second: texts(signed.amr).some((method) => spec.secondFactor.includes(method)),
  };
}

function verifiedEmail(claims: Claims, spec: IdentityProviderSpec): string | undefined {
  if (claims.email_verified !== true) return undefined;
  return z.email().max(254).safeParse(claimAt(claims, spec.claims.email)).data;
}

/** By its whole name, else as a path into objects. */
function claimAt(claims: Claims, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name];
  return name.split(".").reduce<unknown>((at, part) => {
    return typeof at === "object" && at !== null && Object.hasOwn(at, part)
      ? (at as Claims)[part]
      : undefined;
  }, claims);
}

function texts(value: unknown): string[] {
  const all = [value].flat().flatMap((one) => line(one, 500) ?? []);
  return [...new Set(all)].slice(0, mostGroups).sort();
}

/** What is too long, or no text, was not said. */
function line(value: unknown, most = 200): string | undefined {
  if (typeof value !== "string" || value === "" || value.length > most) return undefined;
  return /\p{C}/u.test(value) ? undefined : value;
}
