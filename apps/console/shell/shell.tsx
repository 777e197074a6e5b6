import { AppShell, Burger, Group } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { PageLink, paths, usePath } from "@reeve/kit";
import { Outlet } from "@tanstack/react-router";
import { useEffect } from "react";
import { AccountMenu } from "./account-menu.tsx";
import { ConnectionBanner } from "./connection-banner.tsx";
import { Navigation } from "./navigation.tsx";
import { PaletteButton } from "./palette-button.tsx";
import { ProofDialog } from "./proof-dialog.tsx";
import { ScopeSwitcher } from "./scope-switcher.tsx";
import classes from "./shell.module.css";
import { SignedIn } from "./signed-in.tsx";
import { Wordmark } from "./wordmark.tsx";

/** The frame around every page: where one is, where one can go, who one is. */
export function Shell() {
  return (
    <SignedIn>
      <ProofDialog />
      <Frame />
    </SignedIn>
  );
}

function Frame() {
  const [open, { toggle, close }] = useDisclosure(false);
  const path = usePath();
  // biome-ignore lint/correctness/useExhaustiveDependencies: a small screen shows the page that was chosen
  useEffect(close, [path]);
  return (
    <AppShell
      header={{ height: 48 }}
      navbar={{ width: 220, breakpoint: "sm", collapsed: { mobile: !open } }}
      padding="md"
      transitionDuration={0}
    >
      <a href="#main" className="skip-link">
        To the content
      </a>
      <AppShell.Header className={classes.header}>
        <Group h="100%" px="md" gap="sm" wrap="nowrap">
          <Burger opened={open} onClick={toggle} hiddenFrom="sm" size="sm" aria-label="Navigation" />
          <PageLink to={paths.overview()} className={classes.home} aria-label="Reeve, to the overview">
            <Wordmark narrow />
          </PageLink>
          <ScopeSwitcher />
          <Group gap={4} ml="auto" wrap="nowrap">
            <PaletteButton />
            <AccountMenu />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar className={classes.navbar} data-open={open || undefined}>
        <Navigation />
      </AppShell.Navbar>
      <AppShell.Main id="main" tabIndex={-1} className={classes.main}>
        <ConnectionBanner />
        <Outlet />
      </AppShell.Main>
    </AppShell>
  );
}
