import { Usage } from "@reeve/sdk/cli";

/** What a person types for a server: `reeve.example.com` means HTTPS, a loopback address plain HTTP. */
export function readServerUrl(text: string): string {
  const whole = text.includes("://") ? text : `${isLoopback(text) ? "http" : "https"}://${text}`;
  const url = URL.canParse(whole) ? new URL(whole) : undefined;
  if (url === undefined || !["http:", "https:"].includes(url.protocol))
    throw new Usage(
      `${JSON.stringify(text)} is not the address of a server`,
      "write it as https://host or https://host:port",
    );
  return (url.origin + url.pathname).replace(/\/+$/, "");
}

/** Whether what is sent there can be read on the way. */
export function isOpenToReaders(url: string): boolean {
  const { protocol, host } = new URL(url);
  return protocol === "http:" && !isLoopback(host);
}

/** Reads the link that a new server prints: `http://host:port/setup#TOKEN`. */
export function readSetupLink(link: string): { url: string; token: string } {
  const parsed = URL.canParse(link) ? new URL(link) : undefined;
  const token = parsed?.hash.slice(1) ?? "";
  const isLink = parsed !== undefined && /\/setup\/?$/.test(parsed.pathname) && token !== "";
  if (!isLink)
    throw new Usage(
      "this is not a setup link",
      "copy it whole from the server's output, in quotes: 'http://host:port/setup#…'",
    );
  return {
    url: readServerUrl(parsed.origin + parsed.pathname.replace(/\/setup\/?$/, "")),
    token: decodeURIComponent(token),
  };
}

function isLoopback(host: string): boolean {
  return /^(localhost|127(\.\d+){3}|\[::1\])(:\d+)?(\/.*)?$/.test(host);
}
