import type { Page } from "playwright-core";
import type { ConsoleInstallation } from "./console-installation.ts";

/** A page of the console in the prepared installation. */
export interface ConsolePage {
  /** Names its screenshots. */
  readonly name: string;
  readonly path: string;
  /** A text that only this page shows, when all of it is there. */
  readonly shows: string | RegExp;
  /** A text that it would show if what its address asks for were not heeded. */
  readonly hides?: string;
}

/** Loads a page by its address and waits until all of it is there. */
export async function openPage(page: Page, url: string, { path, shows, hides }: ConsolePage): Promise<void> {
  await page.goto(url + path);
  await untilShown(page, shows);
  if (hides) await page.locator("main").getByText(hides).first().waitFor({ state: "detached" });
}

export async function untilShown(page: Page, shows: ConsolePage["shows"]): Promise<void> {
  const main = page.locator("main");
  await main.getByText(shows).filter({ visible: true }).first().waitFor();
  await main.locator(stillComing).filter({ visible: true }).first().waitFor({ state: "detached" });
}

/** What stands in the place of a page, of a list's rows, or of a view whose file is not loaded yet. */
const stillComing = ".mantine-Loader-root, .mantine-Skeleton-root, [aria-busy=true]";

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
const apps = `${shop}/repositories/apps`;
const platform = "/organizations/acme/projects/data-platform-with-a-long-name";

/** What a person sees before they have signed in. */
export const outsidePages: readonly ConsolePage[] = [
  { name: "sign-in", path: "/sign-in", shows: "Sign in" },
  { name: "setup", path: "/setup#reeve_setup_text", shows: "Set up Reeve" },
  { name: "invitation", path: "/invitation#reeve_invitation_text", shows: "You are invited" },
  { name: "recover", path: "/recover#reeve_recover_text", shows: "Recover" },
];

/** Every other page, and the tabs that are pages of their own. */
export function consolePages({ runs, recording }: ConsoleInstallation): ConsolePage[] {
  const run = (name: keyof typeof runs) => `/runs/${runs[name]}`;
  return [
    { name: "overview", path: "/", shows: "five-hundred" },
    { name: "workflows", path: `${shop}/workflows`, shows: "five-hundred" },
    { name: "workflow", path: nightly, shows: "Loads yesterday's orders" },
    { name: "workflow-step", path: `${nightly}?step=extract`, shows: /connected/ },
    { name: "workflow-webhooks", path: `${nightly}?tab=webhooks`, shows: "No webhooks" },
    { name: "workflow-events", path: `${nightly}?tab=events`, shows: /still remembered/ },
    { name: "workflow-runs", path: `${nightly}?tab=runs`, shows: "succeeded" },
    { name: "workflow-schedules", path: `${nightly}?tab=schedules`, shows: "every-night" },
    { name: "workflow-yaml", path: `${nightly}?tab=yaml`, shows: "every-night" },
    { name: "workflow-history", path: `${nightly}?tab=history`, shows: /timeout/ },
    { name: "workflow-edit", path: `/edit${nightly}`, shows: "Loads yesterday's orders" },
    { name: "workflow-new", path: `/new${shop}/workflows`, shows: "greet" },
    { name: "workflow-status", path: `${nightly}?tab=status`, shows: "Why it is so" },
    { name: "schedules", path: "/schedules", shows: "every-night" },
    { name: "runs", path: "/runs", shows: "five-hundred" },
    { name: "runs-filtered", path: "/runs?state=failed", shows: "deploy", hides: "five-hundred" },
    { name: "runs-nothing", path: "/runs?workflow=nothing", shows: "No run fits" },
    { name: "run-succeeded", path: run("nightly"), shows: "extract" },
    { name: "run-failed", path: run("deploy"), shows: "unit-tests" },
    { name: "run-failed-log", path: `${run("deploy")}?step=2`, shows: "the basket is empty" },
    { name: "run-timeline", path: `${run("deploy")}?view=timeline`, shows: "unit-tests" },
    { name: "run-table", path: `${run("deploy")}?view=table`, shows: "unit-tests" },
    { name: "run-values", path: `${run("nightly")}?tab=values`, shows: "1204" },
    { name: "run-events", path: `${run("deploy")}?tab=events`, shows: "Nothing has happened beyond" },
    { name: "run-cancelled-events", path: `${run("cancelled")}?tab=events`, shows: "closed on Sundays" },
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
    { name: "service-usage", path: `${storefront}?tab=usage`, shows: "The agent of a host tells" },
    { name: "service-deploys", path: `${storefront}?tab=deploys`, shows: /never deployed/ },
    { name: "service-files", path: `${storefront}?tab=files`, shows: "server { listen 80; root /data; }" },
    { name: "service-status", path: `${storefront}?tab=status`, shows: "Why it is so" },
    { name: "service-deploy", path: `${shop}/services/warehouse?tab=deploys`, shows: "All of this run" },
    { name: "service-edit", path: `/edit${storefront}`, shows: "nginx:1.29" },
    { name: "repositories", path: `${shop}/repositories`, shows: "apps" },
    { name: "repositories-none", path: `${platform}/repositories`, shows: "No repositories yet" },
    { name: "repository", path: apps, shows: "image: nginx:1.29" },
    { name: "repository-commits", path: `${apps}?tab=commits`, shows: "more" },
    { name: "repository-services", path: `${apps}?tab=services`, shows: "No service names it" },
    { name: "repository-status", path: `${apps}?tab=status`, shows: "Why it is so" },
    { name: "repository-yaml", path: `${apps}?tab=yaml`, shows: "every: 1h" },
    { name: "repository-events", path: `${apps}?tab=events`, shows: "UpToDate" },
    { name: "hosts", path: "/hosts", shows: "build-1" },
    { name: "host", path: "/hosts/build-1?tab=agent", shows: /(heard last|since) (now|\d+[smh] ago)/ },
    { name: "host-terminal", path: "/hosts/build-1?tab=terminal", shows: "A shell of the user" },
    { name: "host-services", path: "/hosts/build-1?tab=services", shows: "warehouse" },
    { name: "host-storage", path: "/hosts/build-1?tab=storage", shows: /not connected/ },
    { name: "host-events", path: "/hosts/build-1?tab=events", shows: "its agent was stopped" },
    { name: "join-tokens", path: "/organizations/acme/jointokens", shows: "builders" },
    { name: "secrets", path: `${shop}/secrets`, shows: "database" },
    { name: "secret", path: `${shop}/secrets/database?tab=values`, shows: "password" },
    { name: "connections", path: `${shop}/connections`, shows: "postgres" },
    { name: "connection", path: `${shop}/connections/database`, shows: "db.example.com" },
    {
      name: "connection-secrets",
      path: `${shop}/connections/database?tab=values`,
      shows: "database.password",
    },
    { name: "users", path: "/users", shows: "grace" },
    { name: "user", path: "/users/grace?tab=roles", shows: "developers" },
    { name: "groups", path: "/organizations/acme/groups", shows: "developers" },
    { name: "service-accounts", path: `${shop}/serviceaccounts`, shows: "ci" },
    { name: "roles", path: "/organizations/acme/roles", shows: "deployer" },
    { name: "role", path: "/organizations/acme/roles/deployer?tab=permissions", shows: "workflows" },
    { name: "bindings", path: `${shop}/rolebindings`, shows: "ci-deploys" },
    { name: "invitations", path: "/organizations/acme/invitations", shows: "barbara" },
    { name: "tokens", path: `${shop}/tokens`, shows: "ci-old" },
    { name: "why", path: "/access/why", shows: "user:ada may read Project" },
    { name: "security", path: "/security", shows: "None is linked yet." },
    { name: "audit", path: "/audit", shows: "ada" },
    { name: "recordings", path: "/recordings", shows: "shell Host" },
    { name: "recordings-nothing", path: "/recordings?name=nobody", shows: "Nothing is recorded" },
    { name: "recording", path: `/recordings/${recording}`, shows: "SHA-256" },
    { name: "settings", path: "/settings", shows: "current" },
    { name: "about", path: "/about", shows: "Answered by" },
    { name: "organizations", path: "/organizations", shows: "acme" },
    { name: "projects", path: "/organizations/acme/projects", shows: "data-platform-with-a-long-name" },
    { name: "project", path: shop, shows: "The shop" },
    { name: "project-yaml", path: `${shop}?tab=yaml`, shows: "displayName" },
    { name: "project-events", path: `${shop}?tab=events`, shows: /still remembered/ },
    { name: "project-history", path: `${shop}?tab=history`, shows: "displayName" },
    { name: "project-edit", path: `/edit${shop}`, shows: "The server would take it." },
    { name: "project-new", path: "/new/organizations/acme/projects", shows: "One field still needs" },
    { name: "source", path: `${shop}/sources/flows`, shows: "git.example.com" },
    { name: "channels", path: `${shop}/channels`, shows: "ops" },
    { name: "backups", path: "/backups", shows: "No backups in the installation yet" },
    { name: "not-found", path: "/no/such/page", shows: /no page|not found|nothing/i },
  ];
}
