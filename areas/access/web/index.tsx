import type { WebArea } from "@reeve/kit";
import {
  IconHelpHexagon,
  IconKeyframes,
  IconMailForward,
  IconRobot,
  IconTicket,
  IconUser,
  IconUserCheck,
  IconUsersGroup,
} from "@tabler/icons-react";
import { useExpiringTokens } from "./tokens/expiring-tokens.ts";

const group = "Access";
const size = 16;
const holdings = () => import("./people/holdings-page.tsx");

export const accessWeb: WebArea = {
  name: "access",
  navigation: [
    {
      group,
      label: "Users",
      icon: <IconUser size={size} />,
      to: "/users",
      needs: { verb: "read", kind: "User" },
    },
    {
      group,
      label: "Groups",
      icon: <IconUsersGroup size={size} />,
      to: "{scope}/groups",
      needs: { verb: "read", kind: "Group" },
    },
    {
      group,
      label: "Service accounts",
      icon: <IconRobot size={size} />,
      to: "{scope}/serviceaccounts",
      needs: { verb: "read", kind: "ServiceAccount" },
    },
    {
      group,
      label: "Roles",
      icon: <IconKeyframes size={size} />,
      to: "{scope}/roles",
      needs: { verb: "read", kind: "Role" },
    },
    {
      group,
      label: "Bindings",
      icon: <IconUserCheck size={size} />,
      to: "{scope}/rolebindings",
      needs: { verb: "read", kind: "RoleBinding" },
    },
    {
      group,
      label: "Invitations",
      icon: <IconMailForward size={size} />,
      to: "{scope}/invitations",
      needs: { verb: "read", kind: "Invitation" },
    },
    { group, label: "Tokens", icon: <IconTicket size={size} />, to: "{scope}/tokens" },
    { group, label: "Who may what", icon: <IconHelpHexagon size={size} />, to: "/access/why" },
  ],
  pages: [
    { path: "/access/why", load: () => import("./why/why-page.tsx") },
    { path: "{scope}/roles", load: () => import("./roles/roles-page.tsx") },
    { path: "{scope}/rolebindings", load: () => import("./bindings/bindings-page.tsx") },
    { path: "{scope}/invitations", load: () => import("./invitations/invitations-page.tsx") },
    { path: "{scope}/tokens", load: () => import("./tokens/tokens-page.tsx") },
  ],
  tabs: [
    { kind: "User", name: "roles", label: "Roles", load: holdings },
    { kind: "Group", name: "roles", label: "Roles", load: holdings },
    { kind: "ServiceAccount", name: "roles", label: "Roles", load: holdings },
    { kind: "Role", name: "permissions", label: "Permissions", load: () => import("./roles/role-page.tsx") },
  ],
  attention: [{ name: "tokens", use: useExpiringTokens }],
};
