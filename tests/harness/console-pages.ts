import type { Page } from "playwright-core";
import type { ConsoleInstallation } from "./console-installation.ts";

/** A page of the console in the prepared installation. */
export interface ConsolePage {
  /** Names its screenshots. */
  readonly name: string;
  readonly path: string;
  /** A text that only this page shows, when all of it is there. */
  readonly shows: string | RegExp;
}

/** Loads a page by its address and waits until all of it is there. */
export async function openPage(page: Page, url: string, { path, shows }: ConsolePage): Promise<void> {
  await page.goto(url + path);
  await untilShown(page, shows);
}

export async function untilShown(page: Page, shows: ConsolePage["shows"]): Promise<void> {
  const main = page.locator("main");
  await main.getByText(shows).filter({ visible: true }).first().waitFor();
  await main.locator(".mantine-Loader-root").first().waitFor({ state: "detached" });
}

/** As the system's own switch would, and until every colour has arrived. */
export async function setScheme(page: Page, colorScheme: "light" | "dark"): Promise<void> {
  await page.emulateMedia({ colorScheme });
  // The page hears of it in one frame and begins to fade in the next.
  await page.evaluate(`new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))).then(() =>
    Promise.allSettled(document.getAnimations().flatMap((one) => one instanceof CSSTransition ? [one.finished] : [])))`);
}

const shop = "/organizations/acme/projects/shop";
const storefront = `${shop}/services/storefront`;
const nightly = `${shop}/workflows/nightly`;

/** What a person sees before they have signed in. */
export const outsidePages: readonly ConsolePage[] = [
  { name: "sign-in", path: "/sign-in", shows: "Sign in" },
  { name: "setup", path: "/setup#reeve_setup_text", shows: "Set up Reeve" },
  { name: "invitation", path: "/invitation#reeve_invitation_text", shows: "You are invited" },
  { name: "recover", path: "/recover#reeve_recover_text", shows: "Recover" },
];

/** Every other page, and the tabs that are pages of their own. */
export function consolePages({ runs }: ConsoleInstallation): ConsolePage[] {
  const run = (name: keyof typeof runs) => `/runs/${runs[name]}`;
  return [
    { name: "overview", path: "/", shows: "five-hundred" },
    { name: "workflows", path: `${shop}/workflows`, shows: "five-hundred" },
    { name: "workflow", path: nightly, shows: "Loads yesterday's orders" },
    { name: "workflow-step", path: `${nightly}?step=extract`, shows: /connected/ },
    { name: "workflow-webhooks", path: `${nightly}?tab=webhooks`, shows: "No webhooks" },
    { name: "workflow-events", path: `${nightly}?tab=events`, shows: /event/i },
    { name: "workflow-runs", path: `${nightly}?tab=runs`, shows: "succeeded" },
    { name: "workflow-schedules", path: `${nightly}?tab=schedules`, shows: "every-night" },
    { name: "workflow-yaml", path: `${nightly}?tab=yaml`, shows: "every-night" },
    { name: "workflow-history", path: `${nightly}?tab=history`, shows: /timeout/ },
    { name: "workflow-edit", path: `/edit${nightly}`, shows: /nightly/ },
    { name: "workflow-new", path: `/new${shop}/workflows`, shows: /workflow/i },
    { name: "workflow-status", path: `${nightly}?tab=status`, shows: "Why it is so" },
    { name: "schedules", path: "/schedules", shows: "every-night" },
    { name: "runs", path: "/runs", shows: "five-hundred" },
    { name: "runs-filtered", path: "/runs?state=failed", shows: "deploy" },
    { name: "runs-nothing", path: "/runs?workflow=nothing", shows: "No run fits" },
    { name: "run-succeeded", path: run("nightly"), shows: "extract" },
    { name: "run-failed", path: run("deploy"), shows: "browser-tests" },
    { name: "run-failed-log", path: `${run("deploy")}?step=2`, shows: "the basket is empty" },
    { name: "run-timeline", path: `${run("deploy")}?view=timeline`, shows: "browser-tests" },
    { name: "run-table", path: `${run("deploy")}?view=table`, shows: "browser-tests" },
    { name: "run-values", path: `${run("nightly")}?tab=values`, shows: "1204" },
    { name: "run-events", path: `${run("deploy")}?tab=events`, shows: /failed/ },
    { name: "run-approval", path: run("release"), shows: "Release 4.2.0 to everybody?" },
    { name: "run-waiting", path: `${run("training")}?step=0`, shows: /gpu=yes/ },
    { name: "run-queued", path: run("queued"), shows: "queued" },
    { name: "run-running-log", path: `${run("import")}?step=0`, shows: /message \d/ },
    { name: "run-cancelled", path: run("cancelled"), shows: "cancelled" },
    { name: "run-of-500", path: run("five-hundred"), shows: "step-1" },
    { name: "services", path: `${shop}/services`, shows: "storefront" },
    { name: "service-templates", path: "/service-templates?scope=acme/shop", shows: "uptime-kuma" },
    {
      name: "service-template",
      path: "/service-templates?scope=acme/shop&template=postgres",
      shows: "uptime-kuma",
    },
    { name: "service", path: storefront, shows: "It is on no host yet" },
    { name: "service-logs", path: `${storefront}?tab=logs`, shows: /Nothing was said yet|on no host/ },
    { name: "service-terminal", path: `${storefront}?tab=terminal`, shows: "A terminal in the container" },
    { name: "service-usage", path: `${storefront}?tab=usage`, shows: /Usage|used/ },
    { name: "service-deploys", path: `${storefront}?tab=deploys`, shows: /never deployed/ },
    { name: "service-files", path: `${storefront}?tab=files`, shows: "server { listen 80; root /data; }" },
    { name: "service-status", path: `${storefront}?tab=status`, shows: "Why it is so" },
    { name: "service-edit", path: `/edit${storefront}`, shows: "nginx:1.29" },
    { name: "repositories", path: `${shop}/repositories`, shows: "No repositories yet" },
    { name: "hosts", path: "/hosts", shows: "build-1" },
    { name: "host", path: "/hosts/build-1?tab=agent", shows: /(heard last|since) (now|\d+[smh] ago)/ },
    { name: "host-terminal", path: "/hosts/build-1?tab=terminal", shows: "A shell of the user" },
    { name: "host-services", path: "/hosts/build-1?tab=services", shows: "No service is kept here" },
    { name: "host-storage", path: "/hosts/build-1?tab=storage", shows: /not connected/ },
    { name: "join-tokens", path: "/organizations/acme/jointokens", shows: "builders" },
    { name: "secrets", path: `${shop}/secrets`, shows: "database" },
    { name: "secret", path: `${shop}/secrets/database?tab=values`, shows: "password" },
    { name: "connections", path: `${shop}/connections`, shows: "postgres" },
    { name: "connection", path: `${shop}/connections/database`, shows: "db.example.com" },
    { name: "users", path: "/users", shows: "grace" },
    { name: "user", path: "/users/grace?tab=roles", shows: "developers" },
    { name: "groups", path: "/organizations/acme/groups", shows: "developers" },
    { name: "service-accounts", path: `${shop}/serviceaccounts`, shows: "ci" },
    { name: "roles", path: "/organizations/acme/roles", shows: "deployer" },
    { name: "role", path: "/organizations/acme/roles/deployer?tab=permissions", shows: "workflows" },
    { name: "bindings", path: `${shop}/rolebindings`, shows: "ci-deploys" },
    { name: "invitations", path: "/organizations/acme/invitations", shows: "barbara" },
    { name: "tokens", path: `${shop}/tokens`, shows: "ci-old" },
    { name: "why", path: "/access/why", shows: /may/i },
    { name: "security", path: "/security", shows: /passkey/i },
    { name: "audit", path: "/audit", shows: "ada" },
    { name: "recordings", path: "/recordings", shows: "Nothing is recorded" },
    { name: "settings", path: "/settings", shows: "Settings" },
    { name: "about", path: "/about", shows: "About" },
    { name: "organizations", path: "/organizations", shows: "acme" },
    { name: "projects", path: "/organizations/acme/projects", shows: "data-platform-with-a-long-name" },
    { name: "project", path: shop, shows: "The shop" },
    { name: "project-yaml", path: `${shop}?tab=yaml`, shows: "displayName" },
    { name: "project-events", path: `${shop}?tab=events`, shows: /event/i },
    { name: "project-history", path: `${shop}?tab=history`, shows: /generation/i },
    { name: "project-edit", path: `/edit${shop}`, shows: "shop" },
    { name: "project-new", path: "/new/organizations/acme/projects", shows: /project/i },
    { name: "source", path: `${shop}/sources/flows`, shows: "git.example.com" },
    { name: "channels", path: `${shop}/channels`, shows: "ops" },
    { name: "backups", path: "/backups", shows: /backup/i },
    { name: "not-found", path: "/no/such/page", shows: /no page|not found|nothing/i },
  ];
}
