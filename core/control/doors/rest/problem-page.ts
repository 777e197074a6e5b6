import { hash } from "node:crypto";
import type { Json } from "@reeve/model";

/** A browser that goes somewhere, such as back from an identity provider, shows what it gets to a person. */
export function isJourney(headers: Readonly<Record<string, unknown>>): boolean {
  const mode = headers["sec-fetch-mode"];
  return mode === undefined ? /^text\/html\b/.test(String(headers.accept)) : mode === "navigate";
}

const style = `
:root { color-scheme: light dark; }
body { font: 14px/1.5 system-ui, sans-serif; }
main { max-width: 28rem; margin: 15vh auto; padding: 0 1rem; }
small { opacity: 0.75; }
`;

/** The page's own policy: this one style, and nothing else. */
export const problemPagePolicy = `default-src 'none'; style-src 'sha256-${hash("sha256", style, "base64")}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

/** A problem for people to read, where no page of the console can show it: on the way back from an identity provider. */
export function problemPage(problem: { readonly [key: string]: Json }): string {
  const line = (text: Json | undefined) => (text === undefined ? "" : `<p>${escaped(String(text))}</p>`);
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Reeve: ${escaped(String(problem.title))}</title>
    <style>${style}</style>
  </head>
  <body>
    <main>
      <h1>This did not work</h1>
      ${line(problem.detail)}
      ${line(problem.next)}
      <p><a href="/sign-in">Sign in</a></p>
      <p><small>Request ${escaped(String(problem.requestId))}</small></p>
    </main>
  </body>
</html>
`;
}

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
