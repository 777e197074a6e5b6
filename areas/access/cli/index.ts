/** The verbs of access: who one is, what one may do, tokens and passwords. */
import type { AnyVerb } from "@reeve/sdk/cli";
import { authWhy } from "./auth-why.ts";
import { canI } from "./can-i.ts";
import { invite } from "./invite.ts";
import { passwd } from "./passwd.ts";
import { permissions } from "./permissions.ts";
import { sessions } from "./sessions.ts";
import { tokenCreate } from "./token-create.ts";
import { tokenDelete } from "./token-delete.ts";
import { tokenList } from "./token-list.ts";
import { whoami } from "./whoami.ts";

export { sayWithheld } from "./say-withheld.ts";

export const accessVerbs: readonly AnyVerb[] = [
  whoami,
  canI,
  authWhy,
  permissions,
  invite,
  sessions,
  tokenCreate,
  tokenList,
  tokenDelete,
  passwd,
];
