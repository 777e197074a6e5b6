import type { Admission, Controller } from "@reeve/control";
import { contains, Fault, firstMissing, invalidField, type Role, type Scope, showScope } from "@reeve/model";
import type { Address, Stored } from "@reeve/store";
import type { TrustedIssuerSpec } from "../../kinds/index.ts";

type Rule = TrustedIssuerSpec["rules"][number];

export function trustedIssuerController(roles: Readonly<Record<string, Role>>): Controller {
  return {
    kind: "TrustedIssuer",
    refers: ({ scope, spec }) => rulesOf(spec).map((rule) => accountAddress(rule, scope)),
    admit: (admission) => admitIssuer(admission, roles),
  };
}

function admitIssuer({ after, caller, view }: Admission, roles: Readonly<Record<string, Role>>): Stored {
  const { scope } = after.metadata;
  // Its tokens do not leave the scope; whoever could do everything in there gains nothing by them.
  const missing = firstMissing(caller.grants, roles.owner?.allows ?? new Set(), scope);
  if (missing !== undefined)
    throw new Fault(
      "forbidden",
      `whoever is trusted here can act as any account of ${showScope(scope)}, and you do not hold ${missing} there yourself`,
      { next: "ask an owner of the scope" },
    );
  for (const [index, rule] of rulesOf(after.spec).entries()) {
    const at = accountAddress(rule, scope);
    const pointer = `/spec/rules/${index}/serviceAccount`;
    if (!contains(scope, at.scope)) throw invalidField(`${pointer}/scope`, `expected ${scope} or below`);
    if (view.get(at) === undefined)
      throw invalidField(pointer, `there is no ServiceAccount ${at.name} in ${at.scope}`, "create it first");
  }
  return after;
}

export function accountAddress({ serviceAccount }: Rule, scope: Scope): Address {
  return { kind: "ServiceAccount", scope: serviceAccount.scope ?? scope, name: serviceAccount.name };
}

function rulesOf(spec: object): readonly Rule[] {
  return (spec as TrustedIssuerSpec).rules;
}
