import type { Overseer } from "@reeve/control";
import { Fault, type FieldError, type JsonObject, sameJson } from "@reeve/model";
import type { View } from "@reeve/store";
import { connectionsIn, referencesIn, type SecretReference } from "../kinds/index.ts";
import { replaceUses } from "../store/index.ts";
import { connectionPlaces, fieldTrouble } from "./find-connection.ts";
import { chosen, missingSecret, placesOf } from "./find-secret.ts";

/** Any spec may refer to secrets: what it refers to must be there and serve it, and is noted as in use. */
export const referenceOverseer: Overseer = {
  refers: ({ kind, scope, spec }) => [
    ...referencesOf(kind, spec).flatMap((one) => placesOf(one, scope)),
    ...connectionsIn(spec).flatMap((one) => connectionPlaces(one, scope)),
  ],
  admit({ before, after, view }) {
    const references = referencesOf(after.kind, after.spec);
    const { uid, scope } = after.metadata;
    const errors = references.flatMap((one): FieldError[] => {
      const nearest = placesOf(one, scope)
        .map((at) => view.get(at))
        .find((found) => found !== undefined);
      return chosen(nearest, scope) === undefined
        ? [{ pointer: one.pointer, message: missingSecret(one, scope) }]
        : [];
    });
    errors.push(...connectionErrors(after.spec, scope, view));
    const [first] = errors;
    if (first !== undefined)
      throw new Fault("invalid", `${first.pointer}: ${first.message}`, {
        errors,
        next: "make what is missing first, or let it serve this scope; values of a Secret can be set later",
      });
    const was = before === undefined ? [] : referencesOf(before.kind, before.spec);
    return sameJson(was, references) ? undefined : (sql) => replaceUses(sql, { uid, scope }, references);
  },
};

function connectionErrors(spec: JsonObject, scope: string, view: View): FieldError[] {
  return connectionsIn(spec).flatMap((one) => {
    const found = connectionPlaces(one, scope).map((at) => view.get(at));
    const message = fieldTrouble(
      one,
      scope,
      found.find((connection) => connection !== undefined),
    );
    return message === undefined ? [] : [{ pointer: one.pointer, message }];
  });
}

/** What a Secret says about itself is for people. */
function referencesOf(kind: string, spec: JsonObject): SecretReference[] {
  return kind === "Secret" ? [] : referencesIn(spec);
}
