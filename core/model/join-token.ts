/**
 * What a new agent joins with. The text carries the pin of the installation's certificate authority (SHA-256 of its DER
 * certificate), so the agent knows whom it talks to before it says anything; the store keeps only a hash of the secret.
 */
export interface JoinTokenText {
  readonly id: string;
  readonly secret: string;
  /** SHA-256 of the authority's certificate (DER), base64url without padding. */
  readonly pin: string;
}

const form = /^rjt_([^_]+)_(.+)_([A-Za-z0-9_-]{43})$/;

export function writeJoinToken({ id, secret, pin }: JoinTokenText): string {
  return `rjt_${id}_${secret}_${pin}`;
}

/** Undefined when the text is no join token. */
export function readJoinToken(text: string): JoinTokenText | undefined {
  const [, id, secret, pin] = form.exec(text) ?? [];
  return id && secret && pin ? { id, secret, pin } : undefined;
}
