import type { KindInfo } from "@reeve/sdk";

/** `RoleBinding` → `Role bindings`: what a page with many of them is called. */
export function named({ name, plural }: Pick<KindInfo, "name" | "plural">): string {
  const words = name.replace(/(?<=[a-z])(?=[A-Z])/g, " ");
  const ending = plural.startsWith(name.toLowerCase()) ? plural.slice(name.length) : undefined;
  const many = ending === undefined ? `${words.slice(0, -1)}ies` : words + ending;
  return many.charAt(0) + many.slice(1).toLowerCase();
}

/** `RoleBinding` → `role binding`, in the middle of a sentence. */
export function spoken({ name }: Pick<KindInfo, "name">): string {
  return name.replace(/(?<=[a-z])(?=[A-Z])/g, " ").toLowerCase();
}
