import type { Scope } from "@reeve/model";

/** `serviceaccount/acme/shop/ci`: whatever takes KIND/NAME takes this, wherever one stands. */
export function nameOf(
  kind: { readonly name: string },
  at: { readonly scope: Scope; readonly name: string },
): string {
  return [kind.name.toLowerCase(), at.scope, at.name].filter((part) => part !== "").join("/");
}
