import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { promisify } from "node:util";
import { gzip } from "node:zlib";

/** A file of the documentation page. Nothing is read before it is asked for; what was read is kept. */
export interface DocsFile {
  readonly contentType: string;
  read(): Promise<Buffer>;
  /** The same for clients that accept gzip: the bundle is 1.7 MB, 0.5 MB compressed. */
  readGzip(): Promise<Buffer>;
}

/** The page's own policy: as strict as the others but for inline styles and data images, which Swagger UI draws with. */
export const docsCsp = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join("; ");

const html = "text/html; charset=utf-8";
const css = "text/css; charset=utf-8";
const script = "text/javascript; charset=utf-8";

/** The page at /docs, which shows /openapi.json: everything it needs, by path. It asks no other origin for anything. */
export function docsFiles(): ReadonlyMap<string, DocsFile> {
  return new Map([
    ["/docs/", ownFile("docs.html", html)],
    ["/docs/docs.css", ownFile("docs.css", css)],
    ["/docs/docs.js", ownFile("docs.js", script)],
    ["/docs/swagger-ui.css", swaggerFile("swagger-ui-dist/swagger-ui.css", css)],
    ["/docs/swagger-ui-bundle.js", swaggerFile("swagger-ui-dist/swagger-ui-bundle.js", script)],
  ]);
}

function ownFile(name: string, contentType: string): DocsFile {
  return docsFile(() => new URL(`pages/${name}`, import.meta.url), contentType);
}

function swaggerFile(name: string, contentType: string): DocsFile {
  return docsFile(() => createRequire(import.meta.url).resolve(name), contentType);
}

const compress = promisify(gzip);

function docsFile(place: () => string | URL, contentType: string): DocsFile {
  const read = once(async () => readFile(place()));
  return { contentType, read, readGzip: once(async () => compress(await read(), { level: 9 })) };
}

/** Keeps what was made; a failure is not kept, so that the next request tries again. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make().catch((error: unknown) => {
      made = undefined;
      throw error;
    });
    return made;
  };
}
