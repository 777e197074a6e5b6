/** A path below the service's folder, whatever system reads it: no way leads out of it. */
export function pathTrouble(path: string): string | undefined {
  if (path.length > 300) return "a path has at most 300 characters";
  if (/[\p{Cc}\\:{}]/u.test(path)) return "a path has no backslash, colon, brace or control character";
  if (path.startsWith("/")) return "a path is below the service's folder: it does not begin with /";
  const parts = path.split("/");
  if (parts.some((part) => part === "" || part === "." || part === ".."))
    return "a path leads straight down: no part of it is empty, . or ..";
  return undefined;
}
