import { hostname } from "node:os";
import manifest from "./package.json" with { type: "json" };

export const version: string = manifest.version;

/** How the server names this end of a session to its person. */
export const userAgent = `reeve/${version} (${hostname().replaceAll(/[^\w.-]/g, "-")})`;
