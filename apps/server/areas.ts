import { accessArea } from "@reeve/access/control";
import { accessKinds } from "@reeve/access/kinds";
import { type ControlArea, describeModel } from "@reeve/control";
import { secretsArea } from "@reeve/secrets/control";
import { secretsKinds } from "@reeve/secrets/kinds";

/** The areas of this server. Adding one is a line in each list. */
export const { registry, roles } = describeModel([...accessKinds, ...secretsKinds]);

export const areas: readonly ControlArea[] = [accessArea(roles, registry.kinds), secretsArea];
