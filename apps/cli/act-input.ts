import { isObject, type Json, type JsonObject } from "@reeve/model";
import { Usage } from "@reeve/sdk/cli";

/** Reads `-i size.cpus=4 -i name=web`. What the schema calls a string stays one; anything else is JSON if it can be. */
export function readActInput(pairs: readonly string[], schema: JsonObject | undefined): JsonObject {
  const input: JsonObject = {};
  for (const pair of pairs) {
    const at = pair.indexOf("=");
    if (at < 1)
      throw new Usage(
        `${JSON.stringify(pair)} is not KEY=VALUE`,
        "write -i KEY=VALUE, such as -i replicas=3",
      );
    const path = pair.slice(0, at).split(".");
    setAt(input, path, readValue(pair.slice(at + 1), typeAt(schema, path)));
  }
  return input;
}

function setAt(target: JsonObject, path: readonly string[], value: Json): void {
  const [head = "", ...rest] = path;
  if (["__proto__", "constructor", "prototype", ""].includes(head))
    throw new Usage(`${path.join(".")} is not a field`);
  if (rest.length === 0) {
    target[head] = value;
    return;
  }
  const inner = isObject(target[head]) ? target[head] : {};
  target[head] = inner;
  setAt(inner, rest, value);
}

function typeAt(schema: JsonObject | undefined, path: readonly string[]): Json | undefined {
  let at: Json | undefined = schema;
  for (const part of path) at = isObject(at) && isObject(at.properties) ? at.properties[part] : undefined;
  return isObject(at) ? at.type : undefined;
}

function readValue(text: string, type: Json | undefined): Json {
  if (type === "string") return text;
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}
