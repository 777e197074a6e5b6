import { webcrypto } from "node:crypto";
import { isIP } from "node:net";
import * as x509 from "@peculiar/x509";

export interface KeyPair {
  /** PEM. */
  readonly cert: string;
  readonly key: string;
}

const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const;

/** A self-signed certificate for these names; whoever trusts it pins it. */
export async function selfSigned(commonName: string, hosts: readonly string[], days: number): Promise<KeyPair> {
  x509.cryptoProvider.set(webcrypto as never);
  const keys = (await webcrypto.subtle.generateKey(algorithm, true, ["sign", "verify"])) as CryptoKeyPair;
  const notBefore = new Date(Date.now() - 3_600_000);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: `CN=${commonName}`,
    notBefore,
    notAfter: new Date(notBefore.getTime() + days * 86_400_000),
    keys: keys as never,
    signingAlgorithm: algorithm,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.SubjectAlternativeNameExtension(hosts.map((host) => ({ type: isIP(host) ? ("ip" as const) : ("dns" as const), value: host }))),
    ],
  });
  const pkcs8 = Buffer.from(await webcrypto.subtle.exportKey("pkcs8", keys.privateKey));
  const key = `-----BEGIN PRIVATE KEY-----\n${pkcs8.toString("base64").replaceAll(/(.{64})/g, "$1\n").trimEnd()}\n-----END PRIVATE KEY-----\n`;
  return { cert: certificate.toString("pem"), key };
}
type CryptoKeyPair = webcrypto.CryptoKeyPair;
