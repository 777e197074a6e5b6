/** The verbs of services. */
import type { AnyVerb } from "@reeve/sdk/cli";
import { deploy, start, stop } from "./change.ts";
import { ps } from "./ps.ts";
import { topServices } from "./top.ts";

export const servicesVerbs: readonly AnyVerb[] = [deploy, stop, start, ps, topServices];
