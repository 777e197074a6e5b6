import { accessWeb } from "@reeve/access/web";
import { hostsWeb } from "@reeve/hosts/web";
import type { WebArea } from "@reeve/kit";
import { secretsWeb } from "@reeve/secrets/web";
import { servicesWeb } from "@reeve/services/web";
import { workflowsWeb } from "@reeve/workflows/web";
import { installationWeb } from "./installation.tsx";

/** The areas with pages of their own. Adding one is a line here. */
export const webAreas: readonly WebArea[] = [
  workflowsWeb,
  hostsWeb,
  servicesWeb,
  secretsWeb,
  accessWeb,
  installationWeb,
];
