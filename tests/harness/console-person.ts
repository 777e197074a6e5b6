import type { Locator, Page } from "playwright-core";
import { type Api, password } from "./api.ts";
import type { Bench } from "./bench.ts";
import { type Browser, openBrowser } from "./browser.ts";
import { until } from "./until.ts";

/** Who signs in, and the page that they wanted to see. */
interface Person {
  readonly user?: string;
  readonly path?: string;
}

/** A person at a page of the console, which asks them to sign in first. */
export async function openConsole(bench: Bench, url: string, person: Person = {}): Promise<Browser> {
  const browser = await openBrowser(bench);
  await signIn(browser, url, person);
  return browser;
}

export async function signIn(
  { page }: Browser,
  url: string,
  { user = "ada", path = "/" }: Person = {},
): Promise<void> {
  await page.goto(url + path);
  await page.getByLabel("Name").fill(user);
  await page.getByRole("textbox", { name: "Password" }).fill(password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.waitForURL(url + path);
  await page.getByRole("heading", { level: 1 }).waitFor();
}

/** A user who can sign in, and reads everything at the path of a scope and below, but changes nothing. */
export async function addViewer(api: Api, user: string, path: string): Promise<void> {
  const spec = { role: "viewer", subject: { kind: "User", name: user } };
  for (const [method, at, body] of [
    ["PUT", `/users/${user}`, {}],
    ["POST", `/users/${user}/actions/set-password`, { password }],
    ["PUT", `${path}/rolebindings/${user}-views`, { spec }],
  ] as const) {
    const answer = await api.call(method, `/api/v1${at}`, { body });
    if (answer.status >= 300) throw new Error(`${at}: ${answer.text}`);
  }
}

const aLookMs = 3_000;

/** The button is there, can be reached, says why, and does nothing. */
export async function refused(within: Page | Locator, name: string, why: string): Promise<void> {
  const button = within.getByRole("button", { name, exact: true }).first();
  const page = "page" in within ? within.page() : within;
  await button.and(page.locator("[aria-disabled=true]")).waitFor();
  // Whatever moves the page or takes the focus just then takes the reason away: the person looks again.
  await until(`${name} to say why`, async () => {
    await page.mouse.move(0, 0);
    await button.blur();
    await button.focus();
    await button.hover({ timeout: aLookMs });
    await button.and(page.locator("[aria-describedby]")).waitFor({ timeout: aLookMs });
    const reason = page.locator(`[id="${await button.getAttribute("aria-describedby")}"]`);
    await reason.filter({ hasText: why }).waitFor({ timeout: aLookMs });
    return true;
  });
  await button.press("Enter");
  if ((await page.getByRole("dialog").count()) > 0) throw new Error(`${name} asks although it is disabled`);
}

/** Looks for words in the palette; what it finds are buttons. */
export async function seek(page: Page, words: string): Promise<Locator> {
  await page.keyboard.press("Control+k");
  const field = page.getByLabel("Find a page, an action or a resource");
  await field.fill(words);
  return page.getByRole("dialog").filter({ has: field });
}

/** Where the focus is, in words: "button Run". */
export function focused(page: Page): Promise<string> {
  return page.evaluate(`(() => {
    const at = document.activeElement;
    const name = at.getAttribute("aria-label") ?? at.labels?.[0]?.textContent ?? at.textContent;
    return (at.getAttribute("role") ?? at.localName) + " " + name.trim();
  })()`);
}

/** Goes on by Tab until the focus is there; a person gives up sooner than this does. */
export async function tabTo(page: Page, where: string, most = 60): Promise<void> {
  const seen: string[] = [];
  for (let stops = 0; stops < most; stops++) {
    await page.keyboard.press("Tab");
    seen.push(await focused(page));
    if (seen.at(-1) === where) return;
  }
  throw new Error(`Tab does not lead to ${where}, but to ${seen.join(", ")}`);
}
