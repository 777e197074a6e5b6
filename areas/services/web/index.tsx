import type { WebArea } from "@reeve/kit";
import { IconStack2 } from "@tabler/icons-react";
import { serviceCommands } from "./commands.tsx";
import { firstService } from "./first-service.ts";
import { useServiceAttention } from "./service-attention.ts";

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
  ],
  pages: [
    { path: "{scope}/services", load: () => import("./services-page.tsx") },
    { path: "{scope}/services/$name", load: () => import("./service-page.tsx") },
  ],
  tabs: [
    { kind: "Host", name: "services", label: "Services", load: () => import("./host-services-page.tsx") },
  ],
  attention: [{ name: "services", use: useServiceAttention }],
  commands: serviceCommands,
  writing: [{ kind: "Service", load: loadDraftView, first: firstService }],
};

async function loadDraftView() {
  return { default: (await import("./draft-view.tsx")).DraftView };
}
