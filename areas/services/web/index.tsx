import type { WebArea } from "@reeve/kit";
import { IconGitBranch, IconStack2 } from "@tabler/icons-react";
import { serviceCommands } from "./commands.tsx";
import { firstService } from "./first-service.ts";
import { useServiceAttention } from "./service-attention.ts";
import { templatesPath } from "./templates/address.ts";

export const servicesWeb: WebArea = {
  name: "services",
  navigation: [
    {
      group: "Run",
      label: "Services",
      icon: <IconStack2 size={16} />,
      to: "{scope}/services",
      needs: { verb: "read", kind: "Service" },
    },
    {
      group: "Run",
      label: "Repositories",
      icon: <IconGitBranch size={16} />,
      to: "{scope}/repositories",
      needs: { verb: "read", kind: "Repository" },
    },
  ],
  pages: [
    { path: "{scope}/services", load: () => import("./services-page.tsx") },
    { path: "{scope}/services/$name", load: () => import("./service-page.tsx") },
    { path: templatesPath, load: () => import("./templates/templates-page.tsx") },
    { path: "{scope}/repositories", load: () => import("./repositories/repositories-page.tsx") },
    { path: "{scope}/repositories/$name", load: () => import("./repositories/repository-page.tsx") },
  ],
  tabs: [
    { kind: "Host", name: "services", label: "Services", load: () => import("./host-services-page.tsx") },
    {
      kind: "Host",
      name: "storage",
      label: "Storage",
      load: () => import("./storage/host-storage-page.tsx"),
    },
  ],
  attention: [{ name: "services", use: useServiceAttention }],
  commands: serviceCommands,
  writing: [{ kind: "Service", load: loadDraftView, first: firstService }],
};

async function loadDraftView() {
  return { default: (await import("./draft-view.tsx")).DraftView };
}
