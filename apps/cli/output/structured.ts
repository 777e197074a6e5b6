import type { Output } from "@reeve/sdk/cli";

/** A value in a form for programs, when one asked for it; undefined means that the verb shows it to people in its own way. */
export async function structured(value: unknown, output: Output | undefined): Promise<string | undefined> {
  if (output === "json") return `${JSON.stringify(value, null, 2)}\n`;
  if (output === "yaml") return (await import("@reeve/model/yaml")).toYaml(value);
  return undefined;
}
