import type { WebArea } from "@reeve/kit";
import { IconKey, IconPlugConnected } from "@tabler/icons-react";

export const secretsWeb: WebArea = {
  name: "secrets",
  navigation: [
    {
      group: "Configure",
      label: "Secrets",
      icon: <IconKey size={16} />,
      to: "{scope}/secrets",
      needs: { verb: "read", kind: "Secret" },
    },
    {
      group: "Configure",
      label: "Connections",
      icon: <IconPlugConnected size={16} />,
      to: "{scope}/connections",
      needs: { verb: "read", kind: "Connection" },
    },
  ],
  pages: [{ path: "{scope}/secrets", load: () => import("./secrets-page.tsx") }],
  tabs: [
    {
      kind: "Secret",
      name: "values",
      label: "Values",
      load: () => import("./values-page.tsx"),
      main: true,
      acts: ["set", "reveal", "rollback"],
    },
    { kind: "Connection", name: "values", label: "Secrets", load: () => import("./connection-page.tsx") },
  ],
};
