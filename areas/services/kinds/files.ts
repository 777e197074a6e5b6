import { z } from "zod";
import { mostBytes } from "./bundle.ts";
import { pathTrouble } from "./path.ts";

/** More than Compose files and settings ever need; data does not belong here. */
export const mostFiles = 500;

/** A file cannot also be the folder of another. */
function clash(paths: readonly string[]): string | undefined {
  const all = new Set(paths);
  return paths.find((path) =>
    path.split("/").some((_, at, parts) => at > 0 && all.has(parts.slice(0, at).join("/"))),
  );
}

export const path = z.string().superRefine((text, context) => {
  const message = pathTrouble(text);
  if (message !== undefined) context.addIssue({ code: "custom", message });
});

export const files = z.record(path, z.string()).superRefine((found, context) => {
  const paths = Object.keys(found);
  const bytes = Object.values(found).reduce((sum, text) => sum + new TextEncoder().encode(text).length, 0);
  if (paths.length === 0) context.addIssue({ code: "custom", message: "name at least one Compose file" });
  if (paths.length > mostFiles) context.addIssue({ code: "custom", message: `at most ${mostFiles} files` });
  if (bytes > mostBytes)
    context.addIssue({
      code: "custom",
      message: `at most ${mostBytes / 1024} KiB in all, found ${bytes} bytes`,
    });
  const inside = clash(paths);
  if (inside !== undefined)
    context.addIssue({ code: "custom", path: [inside], message: "it lies in what is a file itself" });
});
