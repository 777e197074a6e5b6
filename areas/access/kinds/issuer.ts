import { z } from "zod";

/** The address of an OIDC issuer, as it stands in its tokens. Plain HTTP is for a workshop machine only. */
export const issuerUrl = z.string().max(500).refine(isIssuer, {
  error:
    "write the issuer's https address without a query; plain http is accepted for loopback addresses only",
});

function isIssuer(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || /[?#\s]/.test(text) || url.username !== "" || url.password !== "") return false;
  return url.protocol === "https:" || (url.protocol === "http:" && isLoopbackHost(url.hostname));
}

/** A URL has turned every other way to write these addresses into this one; 127.0.0.1.example is a name like any other. */
export function isLoopbackHost(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}
