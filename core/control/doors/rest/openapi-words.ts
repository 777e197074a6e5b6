import type { Kind } from "@reeve/model";

/** `RoleBindings`: the plural in the capitals of the name. */
export function pluralName({ name, plural }: Kind): string {
  let same = 0;
  while (same < name.length && name[same]?.toLowerCase() === plural[same]) same++;
  return name.slice(0, same) + plural.slice(same);
}

/** `RoleBinding` as people say it: role binding. */
export function spoken(name: string): string {
  return name.replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, " ").toLowerCase();
}

/** `set-password` as a part of an identifier: SetPassword. */
export function pascal(text: string): string {
  return text
    .split(/[^A-Za-z0-9]+/)
    .map(capital)
    .join("");
}

export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

export function uncapital(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
