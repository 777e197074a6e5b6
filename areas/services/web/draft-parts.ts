import { isObject, type Json, type JsonObject } from "@reeve/model";
import { readDraft } from "@reeve/model/yaml";

/** One service of the Compose files that a manifest holds. */
export interface DraftPart {
  readonly name: string;
  readonly image: string;
  readonly ports: readonly string[];
}

/** What the Compose files of a manifest say, as far as they can be read while they are being written. */
export function draftParts(manifest: JsonObject | undefined): DraftPart[] {
  const spec = objectIn(manifest?.spec);
  return Object.values(objectIn(spec.files)).flatMap((text) =>
    typeof text === "string" ? partsOf(text) : [],
  );
}

function partsOf(text: string): DraftPart[] {
  const { value, troubles } = readDraft(text);
  if (troubles.length > 0) return [];
  const services = objectIn(objectIn(value as Json).services);
  return Object.entries(services).map(([name, service]) => {
    const { image, ports } = objectIn(service);
    return {
      name,
      image: typeof image === "string" ? image : "",
      ports: Array.isArray(ports) ? ports.map(portText) : [],
    };
  });
}

/** `8080:80`, or the long way to say it. */
function portText(port: Json): string {
  if (!isObject(port)) return String(port);
  const { published, target } = port;
  return published === undefined ? String(target) : `${published}:${target}`;
}

function objectIn(value: Json | undefined): JsonObject {
  return value !== undefined && isObject(value) ? value : {};
}
