import { type Change, type Json, lineDiff, withContext } from "@reeve/model";
import { toYaml } from "@reeve/model/yaml";
import { paintOut } from "./paint.ts";
import { printable } from "./width.ts";

/** Changes as a person reads them: the place, then what goes and what comes, line by line. */
export function changeLines(changes: readonly Change[]): string[] {
  return changes.flatMap((change) => [
    paintOut("cyan", `@ ${change.pointer || "/"}`),
    ...withContext(lineDiff(valueLines(change.before), valueLines(change.after))).map((line) => {
      if (line === "…") return paintOut("dim", " …");
      const text = line.sign + line.text;
      return line.sign === " " ? text : paintOut(line.sign === "-" ? "red" : "green", text);
    }),
  ]);
}

function valueLines(value: Json | undefined): string[] {
  if (value === undefined) return [];
  // A text of several lines as it is: files are compared here too.
  if (typeof value === "string" && value.includes("\n")) return value.trimEnd().split("\n").map(printable);
  return toYaml(value).trimEnd().split("\n").map(printable);
}
