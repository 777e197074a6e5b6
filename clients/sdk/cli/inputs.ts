import { readFileSync } from "node:fs";
import { isObject, type JsonObject } from "@reeve/model";
import { readDocuments } from "@reeve/model/yaml";
import { type InputSpec, inputFromText } from "@reeve/workflows/kinds";
import { Usage } from "./usage.ts";

/** Reads `-i day=2026-01-31 -i @more.yaml`; later ones win. Values are of the types that are declared. */
export function readInputTexts(
  given: readonly string[],
  declared: Readonly<Record<string, InputSpec>>,
): JsonObject {
  const inputs: JsonObject = {};
  for (const one of given) {
    const at = one.indexOf("=");
    if (one.startsWith("@")) Object.assign(inputs, inputsIn(one.slice(1)));
    else if (at > 0) inputs[one.slice(0, at)] = inputFromText(declared[one.slice(0, at)], one.slice(at + 1));
    else
      throw new Usage(
        `${JSON.stringify(one)} is not KEY=VALUE`,
        "write -i KEY=VALUE, or -i @FILE with YAML or JSON",
      );
  }
  return inputs;
}

function inputsIn(file: string): JsonObject {
  const [document] = readDocuments(readFileSync(file, "utf8"), file);
  if (isObject(document?.value)) return document.value as JsonObject;
  throw new Usage(`${file} does not hold inputs`, "write them as KEY: VALUE, one in a line");
}
