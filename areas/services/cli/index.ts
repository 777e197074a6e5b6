/** The verbs of services. */
import type { AnyVerb } from "@reeve/sdk/cli";
import { adopt } from "./adopt.ts";
import { deploy, pull, restart, start, stop } from "./change.ts";
import { exec } from "./exec.ts";
import { prune, storage } from "./prune.ts";
import { ps } from "./ps.ts";
import { templateList, templateShow, templateUse } from "./template.ts";
import { topServices } from "./top.ts";

export const servicesVerbs: readonly AnyVerb[] = [
  deploy,
  stop,
  start,
  restart,
  pull,
  adopt,
  ps,
  exec,
  topServices,
  storage,
  prune,
  templateList,
  templateShow,
  templateUse,
];
