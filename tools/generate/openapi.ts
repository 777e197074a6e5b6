/** The description of the REST API of the server with all its areas. */
import { readFileSync } from "node:fs";
import { Validator } from "@seriousme/openapi-schema-validator";
import { openAreas, registry, roles } from "../../apps/server/areas.ts";
import { openApiDocument } from "../../core/control/doors/rest/openapi.ts";
import { type Context, keyRoutes, type Live, runRoutes } from "../../core/control/index.ts";
import type { Keyring } from "../../core/keys/index.ts";
import type { Made } from "./stale.ts";

export async function openApi(): Promise<Made> {
  const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { version: string };
  const routes = [
    ...keyRoutes(describing, {} as Keyring, []),
    ...runRoutes(describing, {} as Live),
    ...openAreas().flatMap((area) => area.routes?.(describing) ?? []),
  ];
  const document = openApiDocument({ registry, routes, version });
  const { valid, errors } = await new Validator().validate(structuredClone(document));
  if (!valid) throw new Error(`the OpenAPI document is not valid: ${JSON.stringify(errors, null, 2)}`);
  return new Map([["docs/reference/openapi.json", `${JSON.stringify(document, null, 2)}\n`]]);
}

/** Routes are only described here, never run: whoever reaches for more is told so. */
const describing = new Proxy({ registry, roles } as Context, {
  get(context, name) {
    if (name in context) return context[name as keyof Context];
    throw new Error(`a route may not use \`${String(name)}\` before it is run`);
  },
});
