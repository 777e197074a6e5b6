import type { JsonObject, Scope } from "@reeve/model";

/** The command that does the same, for scripts and for who learns it. */
export function runCommand(scope: Scope, name: string, inputs: JsonObject): string {
  const given = Object.entries(inputs).map(([key, value]) => {
    const text = typeof value === "string" ? value : JSON.stringify(value);
    return `-i ${quoted(`${key}=${text}`)}`;
  });
  return ["reeve run", name, ...(scope === "" ? [] : [`--scope ${scope}`]), ...given, "--follow"].join(" ");
}

/** As a shell takes it for one word. */
function quoted(text: string): string {
  return /^[\w=./:@+,-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
