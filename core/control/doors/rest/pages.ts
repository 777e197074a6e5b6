import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { FastifyInstance } from "fastify";

const folder = join(import.meta.dirname, "pages");
const types = {
  html: "text/html; charset=utf-8",
  css: "text/css; charset=utf-8",
  js: "text/javascript; charset=utf-8",
} as const;

/** The plain pages for what happens before and around signing in, until the console exists, and the files they are made of. */
const files: Readonly<Record<string, string>> = {
  "/setup": "setup.html",
  "/security": "security.html",
  "/invitation": "invitation.html",
  "/recover": "recover.html",
  "/pages/plain.css": "plain.css",
  "/pages/page.js": "page.js",
  "/pages/proof.js": "proof.js",
  "/pages/setup.js": "setup.js",
  "/pages/security.js": "security.js",
  "/pages/invitation.js": "invitation.js",
  "/pages/recover.js": "recover.js",
};

export function pageRoutes(app: FastifyInstance): void {
  for (const [url, file] of Object.entries(files))
    app.get(url, { config: { demand: "public" } }, async (_request, reply) =>
      reply
        .type(types[file.split(".").at(-1) as keyof typeof types])
        .send(await readFile(join(folder, file))),
    );
}
