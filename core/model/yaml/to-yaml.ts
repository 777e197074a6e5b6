import { stringify } from "yaml";

/** Long text is kept on its line, so that what was read and applied again shows no difference. */
export function toYaml(value: unknown): string {
  return stringify(value, { lineWidth: 0, schema: "core" });
}
