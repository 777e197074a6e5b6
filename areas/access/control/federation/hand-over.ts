import { createHash } from "node:crypto";
import type { Tools } from "@reeve/control";
import { Fault } from "@reeve/model";
import { findTicket, useTicket } from "../../store/index.ts";
import { digest } from "../secrets.ts";
import { type Provider, readProvider } from "./identity-provider.ts";
import { type Proof, proofSchema } from "./proof.ts";

export interface HandOver {
  readonly code: string;
  readonly verifier: string;
}

/** What a provider has proved to a browser, for the one who began that journey: a code works once, and not without its verifier. */
export async function redeem(
  tools: Tools,
  { code, verifier }: HandOver,
): Promise<{ proof: Proof; provider: Provider }> {
  const ticket = await findTicket(tools.database, "handover", digest(code));
  const challenge = createHash("sha256").update(verifier).digest("base64url");
  if (ticket?.detail.challenge === challenge && (await useTicket(tools.database, ticket))) {
    const proof = proofSchema.parse(ticket.detail.proof);
    const provider = await readProvider(tools, proof.provider);
    if (provider.metadata.uid === proof.providerUid) return { proof, provider };
  }
  throw new Fault("unauthenticated", "this code is not valid: it was used, is too old, or is not for you", {
    next: "begin again",
  });
}
