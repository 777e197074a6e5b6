import type { Tools } from "@reeve/control";
import type { JsonObject } from "@reeve/model";
import type { Sql } from "@reeve/store";
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from "@simplewebauthn/server";
import {
  findPasskey,
  findTicket,
  insertTicket,
  listPasskeys,
  type PasskeyRow,
  usePasskey,
  useTicket,
} from "../store/index.ts";
import { digest } from "./secrets.ts";

/** Loaded when first used: most servers' first hours pass without a passkey, and it is a lot of code. */
const webauthn = () => import("@simplewebauthn/server");

/** Ed25519, P-256 and RSA: what authenticators have. */
const algorithms = [-8, -7, -257];

/** Passkeys belong to the address people use: a browser offers them nowhere else. */
function relyingParty({ publicUrl }: Tools): { origin: string; host: string } {
  const { origin, hostname } = new URL(publicUrl());
  return { origin, host: hostname };
}

/** What a browser needs to ask for a passkey: one of this user's, or with null any that it has for us. */
export async function askForPasskey(tools: Tools, userUid: string | null): Promise<JsonObject> {
  const own = userUid === null ? [] : await listPasskeys(tools.database, userUid);
  const options = await (await webauthn()).generateAuthenticationOptions({
    rpID: relyingParty(tools).host,
    allowCredentials: own.map(({ credential, transports }) => ({
      id: credential,
      transports: transports as never,
    })),
    // A passkey alone is two factors only if it knows who holds it; beside a password its presence is enough.
    userVerification: userUid === null ? "required" : "preferred",
  });
  await insertTicket(tools.database, "passkey", { hash: digest(options.challenge), userUid, detail: {} });
  return options as unknown as JsonObject;
}

export interface PasskeyProof {
  readonly userUid: string;
  /** Uses the challenge up and notes the counter; false when somebody was faster. */
  readonly use: (sql: Sql) => Promise<boolean>;
}

/** Whose passkey answered, if the answer is right, to a challenge of ours that was made for `askedOf`. */
export async function checkPasskey(
  tools: Tools,
  response: AuthenticationResponseJSON,
  askedOf: string | null,
): Promise<PasskeyProof | undefined> {
  const challenge = challengeIn(response.response.clientDataJSON);
  const ticket = await findTicket(tools.database, "passkey", digest(challenge));
  const passkey = await findPasskey(tools.database, response.id);
  if (ticket === undefined || passkey === undefined || ticket.userUid !== askedOf) return undefined;
  if (askedOf !== null && passkey.userUid !== askedOf) return undefined;
  const counter = await verifiedCounter(tools, response, challenge, passkey, askedOf === null);
  if (counter === undefined) return undefined;
  return {
    userUid: passkey.userUid,
    use: async (sql) => (await useTicket(sql, ticket)) && usePasskey(sql, passkey.id, counter),
  };
}

async function verifiedCounter(
  tools: Tools,
  response: AuthenticationResponseJSON,
  challenge: string,
  { credential, publicKey, counter, transports }: PasskeyRow,
  alone: boolean,
): Promise<number | undefined> {
  const { origin, host } = relyingParty(tools);
  try {
    const { verified, authenticationInfo } = await (await webauthn()).verifyAuthenticationResponse({
      response,
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: host,
      credential: {
        id: credential,
        publicKey: new Uint8Array(publicKey),
        counter,
        transports: transports as never,
      },
      requireUserVerification: alone,
    });
    return verified ? authenticationInfo.newCounter : undefined;
  } catch (error) {
    // The library tells a wrong answer by throwing.
    tools.log.debug({ err: error }, "a passkey's answer was refused");
    return undefined;
  }
}

/** What a browser needs to make a new passkey. */
export async function offerPasskey(tools: Tools, user: { uid: string; name: string }): Promise<JsonObject> {
  const own = await listPasskeys(tools.database, user.uid);
  const options = await (await webauthn()).generateRegistrationOptions({
    rpName: "Reeve",
    rpID: relyingParty(tools).host,
    userID: new Uint8Array(Buffer.from(user.uid.replaceAll("-", ""), "hex")),
    userName: user.name,
    attestationType: "none",
    supportedAlgorithmIDs: algorithms,
    excludeCredentials: own.map(({ credential }) => ({ id: credential })),
    authenticatorSelection: { residentKey: "preferred", userVerification: "preferred" },
  });
  await insertTicket(tools.database, "new-passkey", {
    hash: digest(options.challenge),
    userUid: user.uid,
    detail: {},
  });
  return options as unknown as JsonObject;
}

export interface MadePasskey extends Omit<PasskeyRow, "id" | "userUid"> {
  readonly use: (sql: Sql) => Promise<boolean>;
}

export async function checkNewPasskey(
  tools: Tools,
  response: RegistrationResponseJSON,
  userUid: string,
): Promise<MadePasskey | undefined> {
  const challenge = challengeIn(response.response.clientDataJSON);
  const ticket = await findTicket(tools.database, "new-passkey", digest(challenge));
  if (ticket?.userUid !== userUid) return undefined;
  const { origin, host } = relyingParty(tools);
  try {
    const { verified, registrationInfo } = await (await webauthn()).verifyRegistrationResponse({
      response,
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: host,
      requireUserVerification: false,
      supportedAlgorithmIDs: algorithms,
    });
    if (!verified) return undefined;
    const { id, publicKey, counter, transports } = registrationInfo.credential;
    return {
      credential: id,
      publicKey: Buffer.from(publicKey),
      counter,
      transports: transports ?? [],
      use: (sql) => useTicket(sql, ticket),
    };
  } catch (error) {
    tools.log.debug({ err: error }, "a new passkey was refused");
    return undefined;
  }
}

/** The challenge that an authenticator says it answers; whether it is one of ours, the ticket tells. */
function challengeIn(clientDataJson: string): string {
  try {
    const { challenge } = JSON.parse(Buffer.from(clientDataJson, "base64url").toString("utf8")) as {
      challenge: unknown;
    };
    return typeof challenge === "string" ? challenge : "";
  } catch {
    return "";
  }
}
