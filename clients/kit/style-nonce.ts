/** The word that the page's policy asks of every style that a script adds; libraries that add some must be given it. */
export function styleNonce(): string {
  return document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? "";
}
