/** Where the verifier waits while the browser is at the provider: in this tab, for this once. */
const place = "reeve-linking-verifier";

/** Sends the browser to a provider. It comes back to this page with a code that only the verifier redeems. */
export async function beginLinking(provider: string): Promise<void> {
  const verifier = base64url(crypto.getRandomValues(new Uint8Array(32)));
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier));
  sessionStorage.setItem(place, verifier);
  const query = new URLSearchParams({ return: "/security", challenge: base64url(new Uint8Array(digest)) });
  location.assign(`/api/v1/sign-in/oidc/${encodeURIComponent(provider)}?${query}`);
}

/** What the journey ended with, once; undefined when there was none. */
export function endLinking(): { code: string; verifier: string } | undefined {
  const code = new URLSearchParams(location.hash.slice(1)).get("code");
  const verifier = sessionStorage.getItem(place);
  sessionStorage.removeItem(place);
  if (code === null || verifier === null) return undefined;
  // The code has no business in the address any longer.
  history.replaceState(history.state, "", location.pathname + location.search);
  return { code, verifier };
}

function base64url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
}
