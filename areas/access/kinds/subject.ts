import { parseScope } from "@reeve/model";
import { z } from "zod";
import { nameText } from "./words.ts";

/** Who a binding or a token speaks of. Users live in the installation; a service account in a scope. */
export const subjectRef = z
  .strictObject({
    kind: z.enum(["User", "ServiceAccount"]),
    name: nameText,
    scope: z
      .string()
      .refine(isScope, {
        error: "write it as organization, organization/project or organization/project/workspace",
      })
      .optional()
      .describe("Where the service account lives; the scope of this resource when left out."),
  })
  .refine((subject) => subject.kind !== "User" || subject.scope === undefined || subject.scope === "", {
    error: "a user lives in no scope: leave it out",
    path: ["scope"],
  });

export type SubjectRef = z.infer<typeof subjectRef>;

function isScope(text: string): boolean {
  try {
    parseScope(text);
    return true;
  } catch {
    return false;
  }
}
