import { Fault } from "@reeve/model";
import { decodeJwt, errors, type JWTPayload, jwtVerify } from "jose";
import type { TrustedIssuerSpec } from "../../kinds/index.ts";
import type { IssuerKeys } from "./issuer-keys.ts";

/** Signatures by a key pair only: with a shared secret, the published key itself could be taken for it. */
const algorithms = "RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519".split(" ");

export interface Workload {
  readonly subject: string;
  readonly claims: JWTPayload;
  readonly jti: string | undefined;
  /** When the token that it came with is of no use any more, in seconds. */
  readonly endsAt: number;
}

const longestAgeSeconds = 86_400;
const clockToleranceSeconds = 30;

/** What a token says, if the issuer has signed it for us and it is still good; an Unproven tells why not. */
export async function verifyWorkload(
  keysOf: IssuerKeys,
  token: string,
  { issuer, audience }: Pick<TrustedIssuerSpec, "issuer" | "audience">,
): Promise<Workload> {
  // Looked at before anybody is asked for keys, so that rubbish makes us ask nobody.
  if (unprovenIssuer(token) !== issuer) throw new Unproven("it is not from this issuer");
  const keys = await keysOf(issuer);
  try {
    const { payload } = await jwtVerify(token, keys, {
      issuer,
      audience,
      algorithms,
      requiredClaims: ["exp", "iat", "sub"],
      maxTokenAge: longestAgeSeconds,
      clockTolerance: clockToleranceSeconds,
    });
    const { sub, jti, exp = 0, iat = 0 } = payload;
    const endsAt = Math.min(exp, iat + longestAgeSeconds) + clockToleranceSeconds;
    return { subject: printable(sub), claims: payload, jti: jti && JSON.stringify(jti), endsAt };
  } catch (error) {
    if (error instanceof errors.JOSEError) throw new Unproven(error.message);
    throw error;
  }
}

/** The token proves nothing. Why is for those who trust the issuer: whoever sent the token hears only that. */
export class Unproven extends Fault {
  readonly why: string;
  constructor(why: string) {
    super("unauthenticated", "this token is not accepted", {
      next: "an owner of the scope sees why: `reeve events trustedissuer NAME`",
    });
    this.why = why.slice(0, 500);
  }
}

/** What others say goes into records that people read and databases keep. */
function printable(text: unknown): string {
  return String(text).replaceAll(/\p{C}/gu, "?").slice(0, 500);
}

function unprovenIssuer(token: string): string | undefined {
  try {
    return decodeJwt(token).iss;
  } catch {
    return undefined;
  }
}

/** Whether the token says all that a rule asks for. A list in the token fits when it holds one of the wanted values. */
export function fits(wanted: TrustedIssuerSpec["rules"][number]["claims"], claims: JWTPayload): boolean {
  return Object.entries(wanted).every(([name, accepted]) => {
    const said = Object.hasOwn(claims, name) ? [claims[name]].flat() : [];
    const values = [accepted].flat();
    return said.some((one) => isPlain(one) && values.includes(String(one)));
  });
}

function isPlain(value: unknown): boolean {
  return ["string", "number", "boolean"].includes(typeof value);
}
