import { type Resource, valueAt } from "@reeve/model";
import { Usage } from "@reeve/sdk/cli";

/** What a wait waits for: a test, and how to say what is there instead. */
export interface WaitTest {
  readonly wanted: string;
  holds(resource: Resource | undefined): boolean;
  seen(resource: Resource | undefined): string;
}

const forms = "deleted, exists, condition=TYPE, condition=TYPE=false, or a field such as spec.disabled=true";

/** Reads `--for`. */
export function readWaitTest(text: string): WaitTest {
  if (text === "deleted")
    return { wanted: "it to be gone", holds: (resource) => resource === undefined, seen: there };
  if (text === "exists")
    return { wanted: "it to exist", holds: (resource) => resource !== undefined, seen: there };
  const [head = "", ...rest] = text.split("=");
  if (head === "condition" && rest[0]) return conditionTest(rest[0], rest[1] ?? "true");
  if (head.includes(".") && rest.length > 0) return fieldTest(head, rest.join("="));
  throw new Usage(`cannot wait for ${JSON.stringify(text)}`, `wait for ${forms}`);
}

/** A condition speaks of the generation that was observed; an older one says nothing about what is wanted now. */
function conditionTest(type: string, status: string): WaitTest {
  const find = (resource: Resource | undefined) =>
    resource?.status?.conditions?.find((one) => one.type.toLowerCase() === type.toLowerCase());
  const isCurrent = ({ status, metadata }: Resource) =>
    status.observedGeneration === undefined || status.observedGeneration >= metadata.generation;
  return {
    wanted: `${type} to be ${status.toLowerCase()}`,
    holds: (resource) =>
      resource !== undefined && isCurrent(resource) && find(resource)?.status === status.toLowerCase(),
    seen(resource) {
      const found = find(resource);
      if (resource === undefined || found === undefined)
        return resource === undefined ? there(resource) : `it has no condition ${type}`;
      const old = isCurrent(resource) ? "" : ", of an earlier generation";
      return `${found.type} is ${found.status}${old} (${found.reason}: ${found.message})`;
    },
  };
}

function fieldTest(path: string, value: string): WaitTest {
  const read = (resource: Resource | undefined) => {
    const found = valueAt(resource, path);
    return typeof found === "string" ? found : JSON.stringify(found);
  };
  return {
    wanted: `${path} to be ${value}`,
    holds: (resource) => read(resource) === value,
    seen: (resource) =>
      resource === undefined ? there(resource) : `${path} is ${read(resource) ?? "not set"}`,
  };
}

function there(resource: Resource | undefined): string {
  return resource === undefined ? "it is not there" : "it is there";
}
