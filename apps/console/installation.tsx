import type { WebArea } from "@reeve/kit";
import { IconHistory, IconInfoCircle, IconPlayerRecord, IconSettings } from "@tabler/icons-react";

const group = "Installation";

/** The pages that belong to no area: they are about the installation as a whole. */
export const installationWeb: WebArea = {
  name: "installation",
  navigation: [
    { group, label: "Audit", icon: <IconHistory size={16} />, to: "/audit" },
    { group, label: "Recordings", icon: <IconPlayerRecord size={16} />, to: "/recordings" },
    { group, label: "Settings", icon: <IconSettings size={16} />, to: "/settings" },
    { group, label: "About", icon: <IconInfoCircle size={16} />, to: "/about" },
  ],
  pages: [
    { path: "/audit", load: () => import("./audit/audit-page.tsx") },
    { path: "/recordings", load: () => import("./recordings/recordings-page.tsx") },
    { path: "/recordings/$id", load: () => import("./recordings/recording-page.tsx") },
    { path: "/settings", load: () => import("./settings/settings-page.tsx") },
    { path: "/about", load: () => import("./about/about-page.tsx") },
  ],
};
