import type { Json } from "@reeve/model";

/** A browser that goes somewhere, such as back from an identity provider, shows what it gets to a person. */
export function isJourney(headers: Readonly<Record<string, unknown>>): boolean {
  const mode = headers["sec-fetch-mode"];
  return mode === undefined ? /^text\/html\b/.test(String(headers.accept)) : mode === "navigate";
}

/** A problem for people to read. */
export function problemPage(problem: { readonly [key: string]: Json }): string {
  const line = (text: Json | undefined) => (text === undefined ? "" : `<p>${escaped(String(text))}</p>`);
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Reeve: ${escaped(String(problem.title))}</title>
    <link rel="stylesheet" href="/pages/plain.css">
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
