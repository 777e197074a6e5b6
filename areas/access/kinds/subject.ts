import { hints, nameText, scopeText } from "@reeve/model";
import { z } from "zod";

/** Who signs in: what a token and a group speak of. */
export const subjectRef = refTo(["User", "ServiceAccount"]);

/** Who can hold a role. */
export const holderRef = refTo(["User", "ServiceAccount", "Group"]);

export type SubjectRef = z.infer<typeof subjectRef>;
export type HolderRef = z.infer<typeof holderRef>;

/** Users live in the installation; a service account in a scope; a group in an organization or the installation. */
function refTo<const Name extends string>(kinds: readonly [Name, ...Name[]]) {
  const groups = (kinds as readonly string[]).includes("Group");
  return z
    .strictObject({
      kind: z.enum(kinds),
      name: nameText.meta({ [hints.kind]: "1/kind" }),
      scope: scopeText
        .optional()
        .describe(
          `Where a service account lives; the scope of this resource when left out.${groups ? ' Where a group lives; the organization of this resource when left out, "" for the installation.' : ""}`,
        ),
    })
    .refine((subject) => subject.kind !== "User" || subject.scope === undefined || subject.scope === "", {
      error: "a user lives in no scope: leave it out",
      path: ["scope"],
    });
}
