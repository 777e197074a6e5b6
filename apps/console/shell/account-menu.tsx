import { ActionIcon, Menu, Text, useMantineColorScheme } from "@mantine/core";
import { PageLink, paths, useWhoami } from "@reeve/kit";
import {
  IconDeviceDesktop,
  IconLogout,
  IconMoon,
  IconShieldLock,
  IconSun,
  IconUser,
} from "@tabler/icons-react";
import { signOut } from "./signed-in.tsx";

/** Who one is, how it looks, and the way out. */
export function AccountMenu() {
  const { subject } = useWhoami();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const looks = [
    { scheme: "light", label: "Light", icon: <IconSun size={16} /> },
    { scheme: "dark", label: "Dark", icon: <IconMoon size={16} /> },
    { scheme: "auto", label: "As the system", icon: <IconDeviceDesktop size={16} /> },
  ] as const;
  return (
    <Menu position="bottom-end" width={220}>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size="lg" aria-label={`Account of ${subject.name}`}>
          <IconUser size={18} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          Signed in as{" "}
          <Text span ff="monospace" c="var(--mantine-color-text)">
            {subject.name}
          </Text>
        </Menu.Label>
        <Menu.Item component={PageLink} to={paths.security()} leftSection={<IconShieldLock size={16} />}>
          Your security
        </Menu.Item>
        <Menu.Divider />
        <Menu.Label>Look</Menu.Label>
        {looks.map(({ scheme, label, icon }) => (
          <Menu.Item
            key={scheme}
            leftSection={icon}
            onClick={() => setColorScheme(scheme)}
            aria-current={colorScheme === scheme}
            fw={colorScheme === scheme ? 600 : undefined}
          >
            {label}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item leftSection={<IconLogout size={16} />} onClick={() => void signOut()}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
