/** The verbs of services. */
import type { AnyVerb } from "@reeve/sdk/cli";
import { deploy, pull, restart, start, stop } from "./change.ts";
import { exec } from "./exec.ts";
import { ps } from "./ps.ts";
import { topServices } from "./top.ts";

export const servicesVerbs: readonly AnyVerb[] = [deploy, stop, start, restart, pull, ps, exec, topServices];
