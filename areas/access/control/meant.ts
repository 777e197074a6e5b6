import {
  installationPermissions,
  invalidField,
  type Kind,
  type Permission,
  permissionOf,
  runPermission,
  runVerbs,
  verbsOf,
} from "@reeve/model";

/** The permissions that a list at `/spec/allows` means today, in order; `kinds` are those of every area. */
export function meantBy(allows: readonly string[], kinds: readonly Kind[]): Permission[] {
  const meant = allows.flatMap((words, index) => {
    const found = expand(words, kinds);
    if (found.length > 0) return found;
    throw invalidField(
      `/spec/allows/${index}`,
      `there is no permission ${words}`,
      "`reeve auth permissions` lists them all",
    );
  });
  return [...new Set(meant)].sort();
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
