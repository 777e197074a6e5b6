import type { RouteAnswer, Tools } from "@reeve/control";
import { Fault, type Origin } from "@reeve/model";
import { type FederatedUser, findFederatedUser, seeIdentity } from "../../store/index.ts";
import { type Carry, openSession } from "../sessions.ts";
import { noteClaims } from "./claims.ts";
import { denyPerson } from "./deny-person.ts";
import type { Provider } from "./identity-provider.ts";
import { makePerson } from "./make-person.ts";
import type { Proof } from "./proof.ts";

export interface Arrived {
  readonly provider: Provider;
  readonly proof: Proof;
  readonly origin: Origin;
  readonly agent: string;
  readonly carry: Carry;
}

/** Opens a session for the user that this identity belongs to. Nothing else that the provider says finds a user. */
export async function signInPerson(tools: Tools, arrived: Arrived): Promise<RouteAnswer> {
  const { proof, provider, origin, agent, carry } = arrived;
  const known = await findFederatedUser(tools.database, proof.providerUid, proof.subject);
  // First of all, since whoever is let in no more may still be signed in.
  if (known !== undefined) await noteClaims(tools, known, proof);
  await checkAllowed(tools, arrived, known);
  const { uid, name } = known ?? (await makePerson(tools, proof, origin));
  return openSession(tools, {
    userUid: uid,
    userName: name,
    factors: ["oidc", ...(proof.second ? ["provider"] : [])],
    origin,
    agent,
    carry,
    also: (sql) => seeIdentity(sql, provider.metadata.uid, proof.subject),
  });
}

async function checkAllowed(
  tools: Tools,
  { provider, proof, origin }: Arrived,
  known: FederatedUser | undefined,
): Promise<void> {
  const fault = refusalOf(provider, proof, known);
  if (fault !== undefined)
    await denyPerson(
      tools,
      { provider: proof.provider, why: `${proof.subject}: ${fault.message}`, origin },
      fault,
    );
}

function refusalOf(provider: Provider, proof: Proof, known: FederatedUser | undefined): Fault | undefined {
  const fault = notAllowed(provider, proof);
  if (fault !== undefined) return fault;
  if (known?.barred)
    return new Fault("forbidden", `the user ${known.name} is disabled`, { next: "ask an owner" });
  if (known === undefined && !provider.spec.createUsers)
    return new Fault("forbidden", "no user is linked with this identity", {
      next: `sign in as your user and link it: \`reeve auth link ${proof.provider}\``,
    });
  return undefined;
}

/** Whether the provider lets this person in at all. */
export function notAllowed({ spec }: Provider, { email, groups, provider }: Proof): Fault | undefined {
  const { emailDomains, groups: wanted } = spec.allow;
  const domain = email?.slice(email.lastIndexOf("@") + 1).toLowerCase();
  if (emailDomains.length > 0 && !emailDomains.some((one) => one.toLowerCase() === domain))
    return new Fault(
      "forbidden",
      `the identity provider ${provider} has verified no address of yours that may sign in`,
      {
        next: "ask an owner",
      },
    );
  if (wanted.length > 0 && !groups.some((group) => wanted.includes(group)))
    return new Fault(
      "forbidden",
      `you are in no group of the identity provider ${provider} that may sign in`,
      {
        next: "ask an owner",
      },
    );
  return undefined;
}
