import { createHash, X509Certificate } from "node:crypto";
import type { TLSSocket } from "node:tls";
import type { Dialling } from "./connection.ts";
import type { Identity, Proof } from "./identity.ts";

const forServers = "1.3.6.1.5.5.7.3.1";

/** How to dial as somebody who has joined. */
export function dialAs({ proof }: Pick<Identity, "proof">, url: string): Dialling {
  if (proof.by === "bearer") return { url, bearer: proof.bearer, tls: proxyTls(proof) };
  return {
    url,
    tls: {
      cert: proof.certificate,
      key: proof.key,
      ca: proof.authority,
      // Names mean nothing: whoever holds a certificate for servers of our authority is a replica.
      checkServerIdentity: (_host, shown) =>
        shown.ext_key_usage?.includes(forServers)
          ? undefined
          : new Error("this certificate of our authority is not one for servers"),
    },
  };
}

/** How to dial before there is an identity: only the authority that the join token names is believed. */
export function dialPinned(url: string, pin: string): Dialling {
  return {
    url,
    // Decided below, with the pin: there is no authority yet to verify by.
    tls: { rejectUnauthorized: false },
    check: (socket) => checkPin(socket, pin),
  };
}

export function proxyTls({ ca }: Extract<Proof, { by: "bearer" }> | { ca?: string }): Dialling["tls"] {
  return { minVersion: "TLSv1.2", ...(ca === undefined ? {} : { ca }) };
}

function checkPin(socket: TLSSocket, pin: string): void {
  const shown = socket.getPeerX509Certificate();
  if (shown === undefined || !isVouchedFor(shown, pin))
    throw new Error(
      "the server is not the one that the join token was made by: its certificate authority has another pin. Check the address; behind a proxy that ends TLS, join with --bearer",
    );
  if (!shown.keyUsage?.includes(forServers) || expired(shown))
    throw new Error("the server's certificate is not one for servers of its authority, or its time is over");
}

/** From one certificate to its issuer's, up to the pinned one; the authority itself may have been replaced since. */
function isVouchedFor(shown: X509Certificate, pin: string): boolean {
  let below = shown;
  for (let steps = 0; steps < mostSteps; steps++) {
    const above = below.issuerCertificate;
    if (above === undefined || !above.ca || expired(above)) return false;
    if (!below.checkIssued(above) || !below.verify(above.publicKey)) return false;
    if (pinOf(above) === pin) return true;
    below = above;
  }
  return false;
}

const mostSteps = 3;

function pinOf({ publicKey }: X509Certificate): string {
  return createHash("sha256")
    .update(publicKey.export({ type: "spki", format: "der" }))
    .digest("base64url");
}

/** Whether the authority with this pin is among these (PEM); there are two while one takes over from the other. */
export function hasPin(authorities: string, pin: string): boolean {
  const each = authorities.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  return each.some((pem) => pinOf(new X509Certificate(pem)) === pin);
}

function expired({ validFrom, validTo }: X509Certificate): boolean {
  const now = Date.now();
  return now < Date.parse(validFrom) || now > Date.parse(validTo);
}
