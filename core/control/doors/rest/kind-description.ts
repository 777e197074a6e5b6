import {
  type Action,
  type JsonObject,
  type Kind,
  type Level,
  type Permission,
  permissionOf,
  verbsOf,
} from "@reeve/model";
import { jsonSchema } from "./openapi-json-schema.ts";

/** A kind as `GET /api/v1/kinds` tells it: enough to address, explain and complete it without knowing it beforehand. */
export interface KindDescription {
  readonly name: string;
  readonly plural: string;
  readonly shortNames: readonly string[];
  readonly summary: string;
  readonly levels: readonly Level[];
  readonly opensScope: boolean;
  /** Verbs that only the role `owner` has. */
  readonly reads: readonly string[];
  readonly ownerOnly: readonly string[];
  readonly actions: Readonly<Record<string, ActionDescription>>;
  readonly fields: readonly string[];
  readonly columns: readonly { readonly title: string; readonly wide: boolean }[];
  /** JSON Schema of what a person writes. */
  readonly spec: JsonObject;
  /** JSON Schema of what the server reports. */
  readonly status: JsonObject;
  readonly example: string;
  readonly permissions: readonly Permission[];
}

export interface ActionDescription {
  readonly summary: string;
  readonly input: JsonObject;
  readonly output: JsonObject;
  readonly secret: boolean;
  readonly fresh: boolean;
}

const described = new WeakMap<Kind, KindDescription>();

/** Made once per kind: the schemas cost far more than the rest of an answer. */
export function describeKind(kind: Kind): KindDescription {
  const known = described.get(kind);
  if (known !== undefined) return known;
  const made = describe(kind);
  described.set(kind, made);
  return made;
}

function describeAction({ summary, input, output, secret, fresh }: Action): ActionDescription {
  return {
    summary,
    input: jsonSchema(input, "input"),
    output: jsonSchema(output, "output"),
    secret: secret ?? false,
    fresh: fresh !== undefined,
  };
}

function describe(kind: Kind): KindDescription {
  const actions = Object.entries(kind.actions ?? {}).map(([name, action]) => [name, describeAction(action)]);
  return {
    name: kind.name,
    plural: kind.plural,
    shortNames: kind.shortNames,
    summary: kind.summary,
    levels: kind.levels,
    opensScope: kind.opensScope ?? false,
    reads: kind.reads ?? [],
    ownerOnly: kind.ownerOnly ?? [],
    actions: Object.fromEntries(actions),
    fields: kind.fields ?? [],
    columns: kind.columns.map(({ title, wide }) => ({ title, wide: wide ?? false })),
    spec: jsonSchema(kind.spec, "input"),
    status: jsonSchema(kind.status, "output"),
    example: kind.example,
    permissions: verbsOf(kind).map((verb) => permissionOf(kind, verb)),
  };
}
