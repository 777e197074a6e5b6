import type { WebArea } from "@reeve/kit";
import { IconServer2 } from "@tabler/icons-react";
import { useSilentAgents } from "./silent-agents.ts";

export const hostsWeb: WebArea = {
  name: "hosts",
  navigation: [
    {
      group: "Run",
      label: "Hosts",
      icon: <IconServer2 size={16} />,
      to: "{scope}/hosts",
      needs: { verb: "read", kind: "Host" },
    },
  ],
  pages: [{ path: "{scope}/hosts", load: () => import("./hosts-page.tsx") }],
  tabs: [
    {
      kind: "Host",
      name: "agent",
      label: "Agent",
      load: () => import("./agent-page.tsx"),
      main: true,
      acts: ["revoke"],
    },
    {
      kind: "Host",
      name: "terminal",
      label: "Terminal",
      load: () => import("./terminal-page.tsx"),
      acts: ["shell"],
    },
  ],
  attention: [{ name: "agents", use: useSilentAgents }],
};
