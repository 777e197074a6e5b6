import { join } from "node:path";
import type { Executor } from "@reeve/agent";
import * as z from "zod/mini";
import { readWith, scriptBody, scriptFields } from "./script.ts";

const schema = z.strictObject({
  ...scriptFields,
  shell: z.optional(
    z.string().check(
      z.regex(/^[\w./+-]+$/, "must be one program, such as bash"),
      z.refine((name) => !name.startsWith("-"), "must not begin with -"),
    ),
  ),
});

/** A script for a shell, which ends at the first command that fails. */
export const shell: Executor = {
  name: "shell",
  available: async () => true,
  async prepare(order) {
    const asked = readWith(schema, order);
    const interpreter =
      asked.shell === undefined ? (named(asked.script) ?? strict("sh")) : strict(asked.shell);
    return scriptBody([...interpreter, join(order.files, "script")], { script: asked.script }, asked);
  },
};

/** By its own first line, as the kernel would; the file itself may lie where nothing can be executed. */
function named(script: string): string[] | undefined {
  const line = /^#!\s*(\S+)(?:[ \t]+(.*\S))?/.exec(script);
  return line?.[1] ? [line[1], ...(line[2] ? [line[2]] : [])] : undefined;
}

function strict(name: string): string[] {
  const program = name.split("/").at(-1) ?? "";
  if (program === "bash") return [name, "-eo", "pipefail"];
  return ["sh", "dash", "ash", "ksh", "zsh"].includes(program) ? [name, "-e"] : [name];
}
