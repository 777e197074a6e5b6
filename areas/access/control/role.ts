import type { Admission, Controller } from "@reeve/control";
import {
  Fault,
  firstMissing,
  installationPermissions,
  invalidField,
  type Kind,
  type Permission,
  permissionOf,
  runPermission,
  runVerbs,
  showScope,
  verbsOf,
} from "@reeve/model";
import { Role } from "../kinds/index.ts";
import { usersOfRole } from "../store/index.ts";
import { isBuiltin } from "./named-role.ts";

/** `kinds` are those of every area. */
export function roleController(kinds: readonly Kind[]): Controller {
  return {
    kind: Role.name,
    admit({ after, caller }: Admission) {
      const { scope, name } = after.metadata;
      if (isBuiltin(name))
        throw invalidField("/metadata/name", `${name} is a built-in role`, "choose another name");
      const allowed = (after.spec.allows as string[]).flatMap((words, index) => {
        const meant = expand(words, kinds);
        if (meant.length > 0) return meant;
        throw invalidField(
          `/spec/allows/${index}`,
          `there is no permission ${words}`,
          "`reeve auth permissions` lists them all",
        );
      });
      const missing = firstMissing(caller.grants, new Set(allowed), scope);
      if (missing !== undefined)
        throw new Fault(
          "forbidden",
          `you cannot make a role with ${missing} in ${showScope(scope)}: you do not hold it there yourself`,
          { next: "leave it out, or ask somebody who holds it" },
        );
      return { ...after, status: { ...after.status, allows: [...new Set(allowed)].sort() } };
    },
    usedBy: async (sql, role) =>
      (await usersOfRole(sql, role.metadata.uid)).map((user) => ({ ...user, pointer: "/spec/role" })),
  };
}

/** A pattern stands for permissions of kinds and of runs; rights that belong to neither are always named one by one. */
function expand(words: string, kinds: readonly Kind[]): Permission[] {
  const [plural, verb] = words.split(":");
  const named = installationPermissions.filter((permission) => permission === words);
  const ofKinds = kinds
    .filter((kind) => plural === "*" || kind.plural === plural)
    .flatMap((kind) => verbsOf(kind).map((one) => ({ one, permission: permissionOf(kind, one) })))
    .filter(({ one }) => verb === "*" || one === verb);
  const ofRuns = runVerbs.filter(
    (one) => ["*", "runs"].includes(plural ?? "") && ["*", one].includes(verb ?? ""),
  );
  return [...named, ...ofKinds.map(({ permission }) => permission), ...ofRuns.map(runPermission)];
}
