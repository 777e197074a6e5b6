import { randomBytes } from "node:crypto";
import { Fault } from "@reeve/model";
import type { FastifyInstance } from "fastify";
import { isJourney } from "./problem-page.ts";

/** The console's files, as its build made them. None is secret: what is worth protecting comes from the API. */
export interface ConsoleFiles {
  /** The page that every address of the console begins with; `nonce` goes where its styles need one. */
  page(nonce: string): Promise<string>;
  /** Undefined when there is no file of this name. */
  open(name: string, acceptEncoding: string): Promise<ConsoleFile | undefined>;
}

interface ConsoleFile {
  readonly contentType: string;
  readonly contentEncoding: string | undefined;
  readonly content: Buffer;
}

/** Scripts and styles are ours alone; only the styles that the page's own scripts add need the nonce. */
const consolePolicy = (nonce: string) =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join("; ");

/** Addresses that programs use: a page there would hide a mistake. */
const notPages = /^\/(api|agent|assets|docs|metrics|openapi\.json|reeve\.)/;

export function consoleRoutes(app: FastifyInstance, files: ConsoleFiles): void {
  // Nobody is asked who they are for files that all may have, so that the console comes up also during an outage.
  const config = { demand: "public", probe: true } as const;
  app.get("/assets/:name", { config: { ...config, label: "/assets/*" } }, async (request, reply) => {
    const { name } = request.params as { name: string };
    const file = await files.open(name, String(request.headers["accept-encoding"] ?? ""));
    if (file === undefined)
      throw new Fault("not_found", "the console has no such file", { next: "load the page again" });
    if (file.contentEncoding !== undefined) reply.header("content-encoding", file.contentEncoding);
    // A file's name changes with its content.
    return reply
      .header("cache-control", "public, max-age=31536000, immutable")
      .header("vary", "accept-encoding")
      .type(file.contentType)
      .send(file.content);
  });
  app.get("/*", { config: { ...config, label: "/{page}" } }, async (request, reply) => {
    if (!isJourney(request.headers) || notPages.test(request.url))
      throw new Fault("not_found", `there is nothing at ${request.url.slice(0, 200)}`, {
        next: "the API is under /api/v1, its description at /docs",
      });
    const nonce = randomBytes(16).toString("base64url");
    return reply
      .header("content-security-policy", consolePolicy(nonce))
      .header("cache-control", "no-store")
      .type("text/html; charset=utf-8")
      .send(await files.page(nonce));
  });
}
