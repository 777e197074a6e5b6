import type { Admission, Controller } from "@reeve/control";
import { Fault, firstMissing, invalidField, type Kind, showScope } from "@reeve/model";
import { Role } from "../kinds/index.ts";
import { usersOfRole } from "../store/index.ts";
import { meantBy } from "./meant.ts";
import { isBuiltin } from "./named-role.ts";

/** `kinds` are those of every area. */
export function roleController(kinds: readonly Kind[]): Controller {
  return {
    kind: Role.name,
    admit({ after, caller }: Admission) {
      const { scope, name } = after.metadata;
      if (isBuiltin(name))
        throw invalidField("/metadata/name", `${name} is a built-in role`, "choose another name");
      const allowed = meantBy(after.spec.allows as string[], kinds);
      const missing = firstMissing(caller.grants, new Set(allowed), scope);
      if (missing !== undefined)
        throw new Fault(
          "forbidden",
          `you cannot make a role with ${missing} in ${showScope(scope)}: you do not hold it there yourself`,
          { next: "leave it out, or ask somebody who holds it" },
        );
      return { ...after, status: { ...after.status, allows: allowed } };
    },
    usedBy: async (sql, role) =>
      (await usersOfRole(sql, role.metadata.uid)).map((user) => ({ ...user, pointer: "/spec/role" })),
  };
}
