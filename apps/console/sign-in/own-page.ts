/** Only a page of ours: an address in a link that somebody sent must not lead elsewhere. */
export function ownPage(to: string | undefined): string {
  const { origin } = globalThis.location;
  const address = to !== undefined && URL.canParse(to, origin) ? new URL(to, origin) : undefined;
  if (address === undefined || address.origin !== origin || address.pathname === "/sign-in") return "/";
  return address.pathname + address.search + address.hash;
}
