import { withQuery } from "@reeve/kit";
import type { Scope } from "@reeve/model";

export const templatesPath = "/service-templates";

/** Where a service of this scope is made of a template, or of one that is yet to be chosen. */
export function templatesAt(scope: Scope, template?: string): string {
  return withQuery(templatesPath, { scope, template });
}
