import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { FastifyInstance } from "fastify";

const folder = join(import.meta.dirname, "pages");

/** The plain page behind the setup link, until the console exists. */
const files: Record<string, { file: string; type: string }> = {
  "/setup": { file: "setup.html", type: "text/html; charset=utf-8" },
  "/setup/page.css": { file: "setup.css", type: "text/css; charset=utf-8" },
  "/setup/page.js": { file: "setup.js", type: "text/javascript; charset=utf-8" },
};

export function pageRoutes(app: FastifyInstance): void {
  for (const [url, { file, type }] of Object.entries(files))
    app.get(url, { config: { demand: "public" } }, async (_request, reply) =>
      reply.type(type).send(await readFile(join(folder, file))),
    );
}
