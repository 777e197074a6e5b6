/** Browsers offer passkeys on secure addresses only, and not for bare IP addresses. */
export const hasPasskeys =
  globalThis.isSecureContext && globalThis.PublicKeyCredential?.parseRequestOptionsFromJSON !== undefined;

/** Asks for one of the person's passkeys: its answer to what the server wants to have signed. */
export async function askPasskey(options: object): Promise<object> {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options as never);
  const credential = await navigator.credentials.get({ publicKey });
  return (credential as PublicKeyCredential).toJSON();
}

export async function makePasskey(options: object): Promise<object> {
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options as never);
  const credential = await navigator.credentials.create({ publicKey });
  return (credential as PublicKeyCredential).toJSON();
}
