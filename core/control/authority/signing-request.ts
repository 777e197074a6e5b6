import { createPublicKey, verify } from "node:crypto";
import { Fault } from "@reeve/model";
import { readParts } from "./der.ts";

/**
 * The public key of a signing request (PKCS #10, DER), whose private key the sender has proved to hold. What else the request
 * says is not looked at: the control plane knows better who the sender is.
 */
export function readSigningRequest(bytes: Uint8Array): Buffer {
  const [request, ...more] = readParts(Buffer.from(bytes)) ?? [];
  const [info, , signature] = (more.length === 0 && request && readParts(request.content)) || [];
  const publicKey = (info && readParts(info.content))?.[2]?.whole;
  if (info === undefined || signature?.tag !== 0x03 || publicKey === undefined) throw unreadable();
  try {
    const key = createPublicKey({ key: publicKey, format: "der", type: "spki" });
    if (key.asymmetricKeyDetails?.namedCurve !== "prime256v1") throw unreadable();
    // The first byte of a bit string counts its unused bits.
    if (verify("sha256", info.whole, key, signature.content.subarray(1))) return publicKey;
  } catch (error) {
    throw unreadable(error);
  }
  throw unreadable();
}

function unreadable(cause?: unknown): Fault {
  return new Fault(
    "invalid",
    "signing_request: not a PKCS #10 request of an EC key on P-256, signed with it",
    {
      cause,
    },
  );
}
